/* run.c: what a pretrained model computes.
 *
 * A run is embed, encode, head. Text encoders and decoders differ in the mask and in whether
 * norms stand before or after the branches of a block; pictures become tokens by a convolution. */
#include "nn/pretrained/inside.h"

/* Is the input on a tape, what the model reads, and not too long? False after an error. */
static bool input_check(const Tensor *in, const Pretrained *m, const char *who)
{
    if (!pretrained_check(m, who))
        return false;
    const PretrainedConfig *c = &m->config;
    const bool vision = c->kind == PRETRAINED_VISION;
    const int64_t most = c->positions - c->position_offset;
    if (!in)
        return tensor_fail("%s: the input is NULL; expected %s on a tape", who,
                           vision ? "pictures" : "ids (B, T)");
    if (tensor_is_poison(in))
        return false;
    const Shape s = in->shape;
    if (vision)
        return (in->tape && !in->ids && s.rank == 4 && s.dim[1] == c->colours &&
                s.dim[2] == c->image && s.dim[3] == c->image) ||
               tensor_fail("%s: found %s%s; expected pictures (B, %lld, %lld, %lld), as "
                           "%s/config.json says, on a tape",
                           who, in->ids ? "ids " : "", tensor_describe(in), (long long)c->colours,
                           (long long)c->image, (long long)c->image, m->folder);
    if (!in->tape || !in->ids || s.rank != 2)
        return tensor_fail("%s: found %s; expected ids (B, T) on a tape", who, tensor_describe(in));
    return s.dim[1] <= most ||
           tensor_fail("%s: %lld tokens; expected at most %lld, as %s/config.json says", who,
                       (long long)s.dim[1], (long long)most, m->folder);
}

/* Does the model write texts? Where `reads`, for another text. False after an error. */
static bool writes(const Pretrained *m, bool reads, const char *who)
{
    return pretrained_check(m, who) &&
           (m->config.kind == PRETRAINED_TRANSLATOR ||
            (m->config.kind == PRETRAINED_DECODER && !reads) ||
            tensor_fail("%s: found a %s; expected %s", who, m->config.type,
                        reads ? "a model with an encoder and a decoder: t5, bart or marian"
                              : "one that writes texts, as gpt2, llama or t5"));
}

/* Named, and on a tape that keeps maps the leaf of backward where no weight below has a gradient:
 * so the maps of a model that is only run have gradients, and nothing else is computed for them. */
static Tensor *stream(Tensor *x, const char *name)
{
    if (tensor_is_poison(x))
        return x;
    if (x->tape->keep_maps && !x->tape->no_grad && !x->needs_grad)
        x = tape_leaf(x->tape, x->data, x->shape);
    return *x->name ? x : given_name(x, name, "");
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
    return stream(x, s == &m->decoder ? "decoder_embedded" : "embedded");
}

/* Patches to tokens: a convolution whose stride is its size gives (B, C, side, side), whose last
 * two axes become the tokens. The class token, and DeiT's distillation token, come first. */
static Tensor *embed_pictures(const Pretrained *m, Tensor *pictures)
{
    const PretrainedConfig *c = &m->config;
    Tape *tape = pictures->tape;
    int64_t side = c->image / c->patch, B = pictures->shape.dim[0], C = c->channels;
    Tensor *x = ag_conv2d(pictures, m->patches.weight, m->patches.bias, (int)c->patch, 0);
    x = ag_transpose(ag_reshape(x, shape3(B, C, side * side)), 1, 2);
    Tensor *part[3] = {ag_expand(tape_param(tape, m->class_token), shape3(B, 1, C))};
    int parts = 1;
    if (m->distillation_token)
        part[parts++] = ag_expand(tape_param(tape, m->distillation_token), shape3(B, 1, C));
    part[parts++] = x;
    return stream(ag_add(ag_concat(part, parts, 1), m->picture_position), "embedded");
}

/* Decoders mask later tokens; text encoders see all of a text, up to its length. */
Tensor *nn_pretrained_run(const Pretrained *m, Tensor *input, Tensor *types, Tensor *lengths,
                          Tensor **hidden)
{
    if (!input_check(input, m, "nn_pretrained_run"))
        return tape_fail(input ? input->tape : NULL);
    const bool vision = m->config.kind == PRETRAINED_VISION;
    if (vision && (types || lengths))
        return tape_error(input->tape, "nn_pretrained_run: types or lengths of pictures; expected "
                                       "none");
    if (types && !tensor_is_poison(types) &&
        !(types->ids && shape_equal(types->shape, input->shape)))
        return tape_error(input->tape, "nn_pretrained_run: types are %s; expected ids %s or none",
                          tensor_describe(types), shape_str(input->shape));
    Tensor *x = vision ? embed_pictures(m, input) : embed(m, &m->encoder, input, types, NULL);
    const Mask mask = {.causal = m->config.kind == PRETRAINED_DECODER, .lengths = lengths};
    return pretrained_blocks(&m->encoder, x, &(PretrainedContext){.mask = mask}, hidden);
}

/* Token i of each sequence (B, C). */
static Tensor *token(Tensor *x, int64_t i)
{
    Shape s = x->shape;
    return ag_reshape(ag_slice(x, 1, i, i + 1), shape2(s.dim[0], s.dim[2]));
}

/* Does the model have the head, and is x (B, T, C) of enough tokens? */
static bool has_head(const Pretrained *m, bool classifier, Tensor *x, const char *who)
{
    if (!pretrained_check(m, who)) {
        tape_fail(x ? x->tape : NULL);
        return false;
    }
    const int64_t least = !classifier ? 0 : m->distilled_classifier.weight ? 2 : 1;
    if (!(classifier ? m->classifier : m->output).weight) {
        tape_error(x ? x->tape : NULL, "%s: %s has no %s; expected a model that has one", who,
                   m->folder, classifier ? "classifier" : "language-model head");
        return false;
    }
    if (!check_operand(x, 3, m->config.channels, who, NULL, "x", "(B, T, C)"))
        return false;
    if (x->shape.dim[1] < least)
        tape_error(x->tape, "%s: x has %lld tokens; expected at least %lld", who,
                   (long long)x->shape.dim[1], (long long)least);
    return x->shape.dim[1] >= least;
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
    if (!has_head(m, false, x, "nn_pretrained_logits"))
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
    if (!has_head(m, true, x, "nn_pretrained_classify"))
        return tensor_poison();
    if (m->config.kind != PRETRAINED_VISION)
        return nn_linear(&m->classifier, ag_dropout(pool(m, x), (real)m->config.dropout));
    Tensor *y = nn_linear(&m->classifier, token(x, 0));
    if (m->distilled_classifier.weight) /* the mean of both, as DeiT does when it is not trained */
        y = ag_scale(ag_add(y, nn_linear(&m->distilled_classifier, token(x, 1))), (real)0.5);
    return y;
}

/* ---- encoder-decoders ------------------------------------------------------------------------ */

Tensor *nn_pretrained_decode(const Pretrained *m, Tensor *ids, Tensor *memory, Tensor *lengths,
                             Tensor **hidden)
{
    const char *who = "nn_pretrained_decode";
    if (!writes(m, true, who) || !input_check(ids, m, who) ||
        !check_operand(memory, 3, m->config.channels, who, NULL, "memory", "(B, S, C)"))
        return tape_fail(ids ? ids->tape : NULL);
    Tensor *x = embed(m, &m->decoder, ids, NULL, NULL);
    const PretrainedContext c = {.mask = {.causal = true},
                                 .memory = memory,
                                 .memory_mask = {.lengths = lengths}};
    return pretrained_blocks(&m->decoder, x, &c, hidden);
}

bool nn_pretrained_read(Pretrained *m, Tensor *ids, const int32_t *lengths)
{
    if (!writes(m, true, "nn_pretrained_read") || !input_check(ids, m, "nn_pretrained_read"))
        return false;
    int64_t B = ids->shape.dim[0], S = ids->shape.dim[1];
    const PretrainedConfig *c = &m->config;
    nn_cache_free(&m->source);
    if (!nn_cache_init(&m->source, (int)c->decoder_layers, B, S, c->kv_heads,
                       c->kv_heads * c->head_size))
        return false;
    Tensor *rows = lengths ? tape_ids(ids->tape, lengths, shape1(B)) : NULL;
    Tensor *memory = nn_pretrained_run(m, ids, NULL, rows, NULL), *k, *v;
    bool ok = !tensor_is_poison(memory) &&
              cache_takes(&m->source, 0, memory, S, c->kv_heads, c->head_size, "nn_pretrained_read",
                          "decoder", "memory");
    for (int i = 0; ok && i < c->decoder_layers; i++)
        ok = pretrained_memory(&m->decoder.blocks[i].cross, memory, &k, &v) &&
             cache_extend(&m->source, i, &k, &v);
    ok = ok && nn_cache_advance(&m->source, lengths, S);
    if (!ok)
        nn_cache_free(&m->source);
    return ok;
}

/* ---- writing texts --------------------------------------------------------------------------- */

/* With grouped keys the cache is smaller than the queries by the factor heads / kv_heads. */
bool nn_pretrained_cache(const Pretrained *m, KVCache *cache, int64_t batch, int64_t capacity)
{
    if (!cache)
        return tensor_fail("nn_pretrained_cache: the cache is NULL; expected a KVCache to fill");
    *cache = (KVCache){0};
    if (!writes(m, false, "nn_pretrained_cache"))
        return false;
    const PretrainedConfig *c = &m->config;
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
    const char *who = "nn_pretrained_logits_cached";
    if (!writes(m, false, who) || !input_check(ids, m, who))
        return tape_fail(ids ? ids->tape : NULL);
    int64_t T = ids->shape.dim[1];
    if (T < 1)
        return tape_error(ids->tape, "%s: 0 tokens; expected 1 or more", who);
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
