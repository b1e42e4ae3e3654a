/* decoder.c: the decoder block of an encoder-decoder model: causal self-attention, cross-attention
 * to the encoder's output (the memory), and the feed-forward layer.
 *                   "Attention is all you need" (2017), fig. 1, right; V "Decoder Block: Masked MSA",
 *                   V "Decoder Block: Attention Layers" (lectures/README.md)
 *   pre-norm:   x = x + self(norm1(x));  x = x + cross(norm2(x), memory);  x = x + ff(norm3(x))
 *   post-norm:  x = norm1(x + self(x));  x = norm2(x + cross(x, memory));  x = norm3(x + ff(x)) */
#include "nn/internal.h"

bool nn_decoder_block_init(DecoderBlock *b, Params *p, const char *path, BlockConfig c)
{
    const char *who = "nn_decoder_block_init";
    if (!(path = init_path(b, sizeof *b, p, path, who)) || !block_hidden(&c, who))
        return false;
    const int64_t C = c.channels;
    const int first = p->count;
    b->dropout = (real)c.dropout;
    b->post_norm = c.post_norm;
    b->path = path;
    bool ok =
        nn_layernorm_init(&b->norm1, p, params_path(p, "%s.norm1", path), C) &&
        nn_attention_init(&b->self_attn, p, params_path(p, "%s.self_attn", path), C, c.heads,
                          c.dropout) &&
        nn_layernorm_init(&b->norm2, p, params_path(p, "%s.norm2", path), C) &&
        nn_attention_init(&b->cross_attn, p, params_path(p, "%s.cross_attn", path), C, c.heads,
                          c.dropout) &&
        nn_layernorm_init(&b->norm3, p, params_path(p, "%s.norm3", path), C) &&
        nn_feedforward_init(&b->ff, p, params_path(p, "%s.ff", path), C, c.hidden, c.activation, 0);
    b->self_attn.rotary = c.rotary;
    return init_done(p, first, ok);
}

/* Where keys and values come from: from x and memory, or, where there are caches, from these. */
typedef struct {
    Tensor *memory;
    Mask mask, memory_mask;
    KVCache *target; /* of the tokens generated so far; NULL: no caches */
    const KVCache *source;
    int layer;
} Context;

static Tensor *self_attention(const DecoderBlock *b, Tensor *x, const Context *c)
{
    return c->target ? nn_attention_cached(&b->self_attn, x, c->target, c->layer)
                     : nn_attention(&b->self_attn, x, c->mask);
}

static Tensor *cross_attention(const DecoderBlock *b, Tensor *x, const Context *c)
{
    return c->target ? cross_attention_cached(&b->cross_attn, x, c->source, c->layer)
                     : nn_cross_attention(&b->cross_attn, x, c->memory, c->memory_mask);
}

/* In pre-norm form the memory is not normalised here, because an encoder of pre-norm blocks ends
 * with a norm. */
static Tensor *block(const DecoderBlock *b, Tensor *x, const Context *c)
{
    const char *path = b->path;
    real p = b->dropout;
    if (b->post_norm) {
        Tensor *sum = residual(x, self_attention(b, x, c), p, path, "mid_sum");
        x = given_name(nn_norm(&b->norm1, sum), path, "mid");
        sum = residual(x, cross_attention(b, x, c), p, path, "mid2_sum");
        x = given_name(nn_norm(&b->norm2, sum), path, "mid2");
        sum = residual(x, nn_feedforward(&b->ff, x), p, path, "out_sum");
        return given_name(nn_norm(&b->norm3, sum), path, "out");
    }
    x = residual(x, self_attention(b, nn_norm(&b->norm1, x), c), p, path, "mid");
    x = residual(x, cross_attention(b, nn_norm(&b->norm2, x), c), p, path, "mid2");
    return residual(x, nn_feedforward(&b->ff, nn_norm(&b->norm3, x)), p, path, "out");
}

Tensor *nn_decoder_block(const DecoderBlock *b, Tensor *x, Tensor *memory, Mask mask,
                         Mask memory_mask)
{
    if (!check_module(b ? b->ff.down.weight : NULL, x, "nn_decoder_block"))
        return tensor_poison();
    mask.causal = true;
    return block(b, x, &(Context){.memory = memory, .mask = mask, .memory_mask = memory_mask});
}

Tensor *nn_decoder_block_cached(const DecoderBlock *b, Tensor *x, KVCache *target,
                                const KVCache *source, int layer)
{
    const char *who = "nn_decoder_block_cached";
    if (!check_module(b ? b->ff.down.weight : NULL, x, who))
        return tensor_poison();
    if (!cache_check(target, who) || !cache_check(source, who))
        return tape_fail(x ? x->tape : NULL);
    return block(b, x, &(Context){.target = target, .source = source, .layer = layer});
}
