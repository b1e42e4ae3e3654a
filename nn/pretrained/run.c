/* run.c: what a pretrained model computes.
 *
 * A run is embed, encode, head. Text encoders and decoders differ in the mask and in whether
 * norms stand before or after the branches of a block; pictures become tokens by a convolution. */
#include "nn/pretrained/inside.h"

/* Are ids (B, T) on a tape and T no more than the model reads? False after an error. */
static bool ids_check(const Tensor *ids, const Pretrained *m, const char *who)
{
    if (!pretrained_check(m, who))
        return false;
    if (!ids)
        return tensor_fail("%s: ids is NULL; expected ids (B, T) on a tape", who);
    int64_t most = m->config.positions - m->config.position_offset;
    if (tensor_is_poison(ids))
        return false;
    if (nn_pretrained_reads_images(m))
        return tensor_fail("%s: a %s reads pictures, not tokens; expected nn_pretrained_run_images",
                           who, m->config.type);
    if (!ids->tape || !ids->ids || ids->shape.rank != 2)
        return tensor_fail("%s: ids are %s; expected ids (B, T) on a tape", who,
                           tensor_describe(ids));
    return ids->shape.dim[1] <= most ||
           tensor_fail("%s: %lld tokens; expected at most %lld, as %s/config.json says", who,
                       (long long)ids->shape.dim[1], (long long)most, m->folder);
}

/* What goes into the first block. types and positions: ids (B, T), or NULL. */
static Tensor *embed(const Pretrained *m, const PretrainedStack *s, Tensor *ids, Tensor *types,
                     Tensor *positions)
{
    Tensor *x = nn_embedding(&m->words, ids);
    if (m->config.embedding_scale > 0)
        x = ag_scale(x, (real)m->config.embedding_scale);
    if (m->types.weight && types)
        x = ag_add(x, nn_embedding(&m->types, types));
    else if (m->types.weight && !tensor_is_poison(x))
        x = ag_add(x, ag_slice(tape_param(x->tape, m->types.weight), 0, 0, 1));
    if (s->position.weight)
        x = positions ? nn_position_at(&s->position, x, positions) : nn_position(&s->position, x);
    if (s->embedding_norm.weight)
        x = ag_dropout(nn_norm(&s->embedding_norm, x), (real)m->config.dropout);
    const char *name = s == &m->decoder ? "decoder_embedded" : "embedded";
    return x && *x->name ? x : given_name(x, name, "");
}

/* Decoders mask later tokens; text encoders see all of a text, up to its length. */
Tensor *nn_pretrained_run(const Pretrained *m, Tensor *ids, Tensor *types, Tensor *lengths,
                          Tensor **hidden)
{
    if (!ids_check(ids, m, "nn_pretrained_run"))
        return tape_fail(ids ? ids->tape : NULL);
    if (types && !tensor_is_poison(types) && !(types->ids && shape_equal(types->shape, ids->shape)))
        return tape_error(ids->tape, "nn_pretrained_run: types are %s; expected ids %s or none",
                          tensor_describe(types), shape_str(ids->shape));
    Tensor *x = embed(m, &m->encoder, ids, types, NULL);
    const Mask mask = {.causal = nn_pretrained_continues_text(m), .lengths = lengths};
    return pretrained_blocks(&m->encoder, x, &(PretrainedContext){.mask = mask}, hidden);
}

/* Patches to tokens: a convolution whose stride is its size gives (B, C, side, side), whose last
 * two axes become the tokens. The class token, and DeiT's distillation token, come first. */
Tensor *nn_pretrained_run_images(const Pretrained *m, Tensor *pictures, Tensor **hidden)
{
    Tape *tape = pictures ? pictures->tape : NULL;
    if (!pretrained_check(m, "nn_pretrained_run_images"))
        return tape_fail(tape);
    const PretrainedConfig *c = &m->config;
    Shape s = pictures ? pictures->shape : shape0();
    if (pictures && tensor_is_poison(pictures))
        return tensor_poison();
    if (!nn_pretrained_reads_images(m))
        return tape_error(tape,
                          "nn_pretrained_run_images: a %s reads tokens, not pictures; "
                          "expected nn_pretrained_run",
                          c->type);
    if (!tape || pictures->ids || s.rank != 4 || s.dim[1] != c->colours || s.dim[2] != c->image ||
        s.dim[3] != c->image)
        return tape_error(tape,
                          "nn_pretrained_run_images: pictures are %s%s; expected (B, %lld, "
                          "%lld, %lld), as %s/config.json says, on a tape",
                          tensor_describe(pictures),
                          tape && pictures->ids ? " of whole numbers" : "", (long long)c->colours,
                          (long long)c->image, (long long)c->image, m->folder);
    int64_t side = c->image / c->patch, B = s.dim[0], C = c->channels;
    Tensor *x = ag_conv2d(pictures, m->patches.weight, m->patches.bias, (int)c->patch, 0);
    x = ag_transpose(ag_reshape(x, shape3(B, C, side * side)), 1, 2);
    Tensor *part[3] = {ag_expand(tape_param(tape, m->class_token), shape3(B, 1, C))};
    int parts = 1;
    if (m->distillation_token)
        part[parts++] = ag_expand(tape_param(tape, m->distillation_token), shape3(B, 1, C));
    part[parts++] = x;
    x = given_name(ag_add(ag_concat(part, parts, 1), m->picture_position), "embedded", "");
    return pretrained_blocks(&m->encoder, x, &(PretrainedContext){0}, hidden);
}

/* Text encoders normalise before the first block, most others in it. Autograd computes what is
 * above a weight that needs a gradient, and every A is above this norm. Marian has no norm there,
 * but the bias of the queries. */
static bool freeze_first(const Pretrained *m, const PretrainedStack *s, bool frozen)
{
    const PretrainedBlock *b = s->blocks;
    const Norm *first = s->embedding_norm.weight ? &s->embedding_norm : &b->attn_norm;
    const bool marian = family_has(&m->config, POST_NORM) && !s->embedding_norm.weight;
    Tensor *part[] = {marian ? b->attn.in_proj_bias : first->weight, marian ? NULL : first->bias};
    for (int i = 0; i < 2; i++)
        if (part[i] && params_freeze(m->params, part[i]->name, frozen) != 1)
            return false; /* memory ran out */
    return true;
}

bool nn_pretrained_map_gradients(const Pretrained *m, bool wanted)
{
    return pretrained_check(m, "nn_pretrained_map_gradients") &&
           freeze_first(m, &m->encoder, !wanted) &&
           (!m->decoder.blocks || freeze_first(m, &m->decoder, !wanted));
}

/* Token i of each sequence (B, C). */
static Tensor *token(Tensor *x, int64_t i)
{
    Shape s = x->shape;
    return ag_reshape(ag_slice(x, 1, i, i + 1), shape2(s.dim[0], s.dim[2]));
}

/* Does the model have this head, and is x (B, T, C) of at least so many tokens? `what` names the
 * head in the error; head NULL: the model was refused. */
static bool has_head(const Pretrained *m, const Linear *head, Tensor *x, int64_t tokens,
                     const char *who, const char *what)
{
    if (!head) {
        tape_fail(x ? x->tape : NULL);
        return false;
    }
    if (!head->weight) {
        tape_error(x ? x->tape : NULL, "%s: %s has no %s; expected a model that has one", who,
                   m->folder, what);
        return false;
    }
    if (!check_operand(x, 3, m->config.channels, who, NULL, "x", "(B, T, C)"))
        return false;
    if (x->shape.dim[1] < tokens)
        tape_error(x->tape, "%s: x has %lld tokens; expected at least %lld", who,
                   (long long)x->shape.dim[1], (long long)tokens);
    return x->shape.dim[1] >= tokens;
}

/* A dense layer on the first token ([CLS]) and a non-linear function: tanh, in DistilBERT relu. */
static Tensor *pool(const Pretrained *m, Tensor *x)
{
    x = nn_linear(&m->pooler, token(x, 0));
    return family_has(&m->config, RELU_POOLER) ? ag_relu(x) : ag_tanh(x);
}

/* Text encoders transform and normalise the state first; decoders have the output's weight only. */
Tensor *nn_pretrained_logits(const Pretrained *m, Tensor *x)
{
    if (!has_head(m, pretrained_check(m, "nn_pretrained_logits") ? &m->output : NULL, x, 0,
                  "nn_pretrained_logits", "language-model head"))
        return tensor_poison();
    if (m->transform.weight) {
        x = nn_activation(family_has(&m->config, TRANSFORM_GELU) ? ACTIVATION_GELU
                                                                 : m->config.activation,
                          nn_linear(&m->transform, x));
        x = nn_norm(&m->transform_norm, x);
    }
    if (m->config.output_scale > 0)
        x = ag_scale(x, (real)m->config.output_scale);
    x = nn_linear(&m->output, x);
    return given_name(m->logits_bias ? ag_add(x, m->logits_bias) : x, "logits", "");
}

/* Texts: pooler, dropout while training, linear. Pictures: linear on the class token. */
Tensor *nn_pretrained_classify(const Pretrained *m, Tensor *x)
{
    if (!has_head(m, pretrained_check(m, "nn_pretrained_classify") ? &m->classifier : NULL, x,
                  m && m->distilled_classifier.weight ? 2 : 1, "nn_pretrained_classify",
                  "classifier"))
        return tensor_poison();
    if (!nn_pretrained_reads_images(m))
        return nn_linear(&m->classifier, ag_dropout(pool(m, x), (real)m->config.dropout));
    Tensor *y = nn_linear(&m->classifier, token(x, 0));
    if (m->distilled_classifier.weight) /* the mean of both, as DeiT does when it is not trained */
        y = ag_scale(ag_add(y, nn_linear(&m->distilled_classifier, token(x, 1))), (real)0.5);
    return y;
}

/* ---- encoder-decoders ------------------------------------------------------------------------ */

static bool has_decoder(const Pretrained *m, const char *who)
{
    return nn_pretrained_translates(m) ||
           tensor_fail("%s: a %s has no decoder beside an encoder; expected t5, bart or marian",
                       who, m->config.type);
}

Tensor *nn_pretrained_decode(const Pretrained *m, Tensor *ids, Tensor *memory, Tensor *lengths,
                             Tensor **hidden)
{
    const char *who = "nn_pretrained_decode";
    if (!ids_check(ids, m, who) || !has_decoder(m, who) ||
        !check_operand(memory, 3, m->config.channels, who, NULL, "memory", "(B, S, C)"))
        return tape_fail(ids ? ids->tape : NULL);
    Tensor *x = embed(m, &m->decoder, ids, NULL, NULL);
    const PretrainedContext c = {.mask = {.causal = true},
                                 .memory = memory,
                                 .memory_mask = {.lengths = lengths}};
    return pretrained_blocks(&m->decoder, x, &c, hidden);
}

static bool check_lengths(const int32_t *lengths, int64_t B, int64_t S)
{
    for (int64_t b = 0; lengths && b < B; b++)
        if (lengths[b] < 0 || lengths[b] > S)
            return tensor_fail("nn_pretrained_read: %d tokens in row %lld; expected 0 to %lld",
                               lengths[b], (long long)b, (long long)S);
    return true;
}

bool nn_pretrained_read(Pretrained *m, Tensor *ids, const int32_t *lengths)
{
    if (!ids_check(ids, m, "nn_pretrained_read") || !has_decoder(m, "nn_pretrained_read"))
        return false;
    int64_t B = ids->shape.dim[0], S = ids->shape.dim[1];
    const PretrainedConfig *c = &m->config;
    if (!check_lengths(lengths, B, S))
        return false;
    nn_cache_free(&m->source);
    if (!nn_cache_init(&m->source, (int)c->decoder_layers, B, S, c->kv_heads,
                       c->kv_heads * c->head_size))
        return false;
    Tensor *rows = lengths ? tape_ids(ids->tape, lengths, shape1(B)) : NULL;
    Tensor *memory = nn_pretrained_run(m, ids, NULL, rows, NULL);
    bool ok = !tensor_is_poison(memory);
    for (int i = 0; ok && i < c->decoder_layers; i++)
        ok = pretrained_cross_fill(&m->decoder.blocks[i].cross, memory, &m->source, i);
    ok = ok && nn_cache_advance(&m->source, lengths, S);
    if (!ok)
        nn_cache_free(&m->source);
    return ok;
}

/* ---- writing texts --------------------------------------------------------------------------- */

static bool continues_texts(const Pretrained *m, const char *who)
{
    return nn_pretrained_continues_text(m) || nn_pretrained_translates(m) ||
           tensor_fail("%s: a %s does not write texts; expected a decoder, as gpt2, llama or t5",
                       who, m->config.type);
}

/* With grouped keys the cache is smaller than the queries by the factor heads / kv_heads. */
bool nn_pretrained_cache(const Pretrained *m, KVCache *cache, int64_t batch, int64_t capacity)
{
    if (!pretrained_check(m, "nn_pretrained_cache"))
        return false;
    if (!cache)
        return tensor_fail("nn_pretrained_cache: the cache is NULL; expected a KVCache to fill");
    const PretrainedConfig *c = &m->config;
    *cache = (KVCache){0};
    if (!continues_texts(m, "nn_pretrained_cache"))
        return false;
    int64_t most = c->positions - c->position_offset;
    if (capacity > most)
        return tensor_fail(
            "nn_pretrained_cache: %lld tokens; expected at most %lld, as %s/config.json says",
            (long long)capacity, (long long)most, m->folder);
    int64_t layers = m->decoder.blocks ? c->decoder_layers : c->layers;
    return nn_cache_init(cache, (int)layers, batch, capacity, c->kv_heads,
                         c->kv_heads * c->head_size);
}

/* One pass with a cache: of the decoder with m->source, or of a decoder-only model. */
static Tensor *decode(const Pretrained *m, Tensor *ids, KVCache *cache)
{
    const bool reads = m->decoder.blocks;
    const PretrainedStack *s = reads ? &m->decoder : &m->encoder;
    if (reads && !m->source.keys_values)
        return tape_error(ids->tape, "nn_pretrained_logits_cached: no input was read; expected a "
                                     "call of nn_pretrained_read before it");
    Tensor *positions =
        s->position.weight ? nn_cache_positions(cache, ids->tape, ids->shape.dim[1]) : NULL;
    const PretrainedContext c = {.cache = cache, .source = reads ? &m->source : NULL};
    return pretrained_blocks(s, embed(m, s, ids, NULL, positions), &c, NULL);
}

/* The pass of a Decoder: new tokens only. last_only leaves out the products with the vocabulary
 * for all but the last token, which prefill would compute and throw away. */
Tensor *nn_pretrained_logits_cached(void *model, Tensor *ids, KVCache *cache)
{
    const Pretrained *m = model;
    if (!ids_check(ids, m, "nn_pretrained_logits_cached"))
        return tape_fail(ids ? ids->tape : NULL);
    int64_t T = ids->shape.dim[1];
    if (!continues_texts(m, "nn_pretrained_logits_cached"))
        return tape_fail(ids->tape);
    if (T < 1)
        return tape_error(ids->tape, "nn_pretrained_logits_cached: %lld tokens; expected 1 or more",
                          (long long)T);
    Tensor *x = decode(m, ids, cache);
    if (m->last_only && !tensor_is_poison(x))
        x = ag_copy(ag_slice(x, 1, T - 1, T));
    return nn_pretrained_logits(m, x);
}

Decoder nn_pretrained_decoder(Pretrained *m, KVCache *c)
{
    return !m ? (Decoder){0}
              : (Decoder){.logits = nn_pretrained_logits_cached,
                          .model = m,
                          .cache = c,
                          .end = m->config.end,
                          .ends = m->config.ends,
                          .rules = &m->config.rules};
}
