/* encoder.c: embedding, positions, blocks and a last norm.
 *                   Devlin et al. 2019; Z "Encoder transformers" (lectures/README.md)
 *   x = embedding[ids] + P;   x = block_l(x) for l = 0 .. L-1;   x = norm(x)
 * With a causal mask these are the blocks of a language model (gpt.c). */
#include "nn/internal.h"

#include "tensor/memory.h"

/* Settings that none of the parts checks. */
static bool check_config(const EncoderConfig *c, const char *who)
{
    if (c->words < 0 || c->longest < 0 || c->layers < 0)
        return tensor_fail("%s: words %lld, longest %lld, %d layers; expected 0 or more of each",
                           who, (long long)c->words, (long long)c->longest, c->layers);
    if (c->longest == 0 && c->position != POSITION_NONE)
        return tensor_fail("%s: longest is 0; expected 1 or more, or POSITION_NONE", who);
    return check_dropout(c->dropout, who);
}

/* The blocks are in the memory of p, so that the module can be copied. */
static bool blocks_init(Encoder *e, Params *p, const char *path, const EncoderConfig *c)
{
    e->blocks = arena_alloc(&p->own->arena, ((size_t)c->layers + 1) * sizeof *e->blocks);
    for (int i = 0; e->blocks && i < c->layers; i++)
        if (!nn_transformer_block_init(&e->blocks[i], p, params_path(p, "%s.blocks.%d", path, i),
                                       c->block))
            return false;
    return e->blocks != NULL;
}

bool nn_encoder_init(Encoder *e, Params *p, const char *path, EncoderConfig c)
{
    const char *who = "nn_encoder_init";
    if (!(path = init_path(e, sizeof *e, p, path, who)) || !check_config(&c, who))
        return false;
    const int64_t C = c.block.channels;
    const int first = p->count;
    *e = (Encoder){.channels = C, .longest = c.longest, .layers = c.layers};
    e->dropout = (real)c.dropout;
    if ((c.words == 0 ||
         nn_embedding_init(&e->embedding, p, params_path(p, "%s.embedding", path), c.words, C)) &&
        nn_position_init(&e->position, p, params_path(p, "%s.position", path), c.position,
                         c.longest, C) &&
        blocks_init(e, p, path, &c) &&
        (c.block.post_norm || nn_layernorm_init(&e->norm, p, params_path(p, "%s.norm", path), C)))
        e->path = path;
    return init_done(p, first, e->path != NULL);
}

/* Without gradients, what a block computed is released after it. */
static Tensor *all_blocks(const Encoder *e, Tensor *x, Mask mask, KVCache *cache)
{
    Tape *tape = tensor_is_poison(x) ? NULL : x->tape;
    const bool release = tape && tape->no_grad;
    const int mark = release ? tape->tensors : 0;
    mask.causal |= e->causal;
    for (int i = 0; i < e->layers; i++) {
        x = cache ? nn_transformer_block_cached(&e->blocks[i], x, cache, i)
                  : nn_transformer_block(&e->blocks[i], x, mask);
        if (release)
            tape_release_since(tape, mark, x);
    }
    return e->norm.weight ? nn_norm(&e->norm, x) : x;
}

/* Is x what the module reads: ids (B, T), or without an embedding (B, T, C)? */
static bool check_input(const Encoder *e, Tensor *x, const char *who)
{
    if (!check_module(e ? e->path : NULL, x, who))
        return false;
    const bool reads_ids = e->embedding.weight;
    if (!reads_ids && !check_operand(x, 3, e->channels, who, NULL, "x", "(B, T, C)"))
        return false;
    if (!x)
        return tensor_fail("%s: x is NULL; expected ids (B, T)", who);
    if (tensor_is_poison(x))
        return false;
    if (reads_ids && (!x->tape || !x->ids || x->shape.rank != 2))
        tape_error(x->tape, "%s: x is %s; expected ids (B, T) on a tape", who, tensor_describe(x));
    else if (e->longest > 0 && x->shape.dim[1] > e->longest)
        tape_error(x->tape, "%s: %lld tokens; expected at most %lld", who,
                   (long long)x->shape.dim[1], (long long)e->longest);
    else
        return true;
    return false;
}

/* positions: ids (B, T), or NULL: 0, 1, 2, ... */
static Tensor *embed(const Encoder *e, Tensor *x, Tensor *positions)
{
    if (e->embedding.weight)
        x = nn_embedding(&e->embedding, x);
    x = positions ? nn_position_at(&e->position, x, positions) : nn_position(&e->position, x);
    return ag_dropout(x, e->dropout);
}

Tensor *encoder_pass(const Encoder *e, Tensor *x, Mask mask, KVCache *cache, const char *who)
{
    if (!check_input(e, x, who))
        return tensor_poison();
    Tensor *positions = cache ? nn_cache_positions(cache, x->tape, x->shape.dim[1]) : NULL;
    return all_blocks(e, embed(e, x, positions), mask, cache);
}

Tensor *nn_encoder(const Encoder *e, Tensor *x, Mask mask)
{
    return encoder_pass(e, x, mask, NULL, "nn_encoder");
}
