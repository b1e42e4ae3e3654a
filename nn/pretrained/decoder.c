/* decoder.c: the decoder of an encoder-decoder (T5, BART, Marian), all at once or with caches.
 *
 * The encoder is the model of run.c; the decoder reads its result, the memory, through the
 * cross-attentions. Both share the word embedding. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

bool pretrained_build_decoder(Pretrained *m, BlockConfig b)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    b.bias = c->ranges > 0 ? &m->decoder_bias : NULL;
    if (!pretrained_position(m, "decoder_position", &m->decoder_position) ||
        (b.bias && !nn_relative_bias_init(&m->decoder_bias, p, "decoder_bias", c->heads, c->ranges,
                                          c->farthest, false)) ||
        (family_of(m)->embedding_norm &&
         !pretrained_norm(m, "decoder_embedding_norm", &m->decoder_embedding_norm, c->channels)))
        return false;
    m->decoder = mem_zeroed((size_t)c->decoder_layers * sizeof *m->decoder);
    for (int64_t i = 0; m->decoder && i < c->decoder_layers; i++)
        if (!nn_decoder_block_init(&m->decoder[i], p, params_format(p, "decoder.%d", (int)i), b))
            return false;
    return m->decoder &&
           (b.post_norm || pretrained_norm(m, "decoder_norm", &m->decoder_norm, c->channels));
}

static bool has_decoder(const Pretrained *m, const char *who)
{
    return nn_pretrained_translates(m) ||
           tensor_fail("%s: a %s has no decoder beside an encoder; expected t5, bart or marian",
                       who, m->config.type);
}

/* hidden[i] is what goes into block i; the last entry is the result, as in the encoder. */
Tensor *nn_pretrained_decode(const Pretrained *m, Tensor *ids, Tensor *memory, Tensor *lengths,
                             Tensor **hidden)
{
    if (!pretrained_ids(ids, m, "nn_pretrained_decode") || !has_decoder(m, "nn_pretrained_decode"))
        return tape_fail(ids ? ids->tape : NULL);
    Mask of_memory = {.lengths = lengths};
    Tensor *x = pretrained_embed(m, true, ids, NULL, NULL);
    for (int64_t i = 0; i < m->config.decoder_layers; i++) {
        if (hidden)
            hidden[i] = x;
        x = nn_decoder_block(&m->decoder[i], x, memory, (Mask){0}, of_memory);
    }
    if (m->decoder_norm.weight)
        x = nn_norm(&m->decoder_norm, x);
    if (hidden)
        hidden[m->config.decoder_layers] = x;
    return x;
}

static bool check_lengths(const int *lengths, int64_t B, int64_t S)
{
    for (int64_t b = 0; lengths && b < B; b++)
        if (lengths[b] < 0 || lengths[b] > S)
            return tensor_fail("nn_pretrained_read: %d tokens in row %lld; expected 0 to %lld",
                               lengths[b], (long long)b, (long long)S);
    return true;
}

bool nn_pretrained_read(Pretrained *m, Tensor *ids, const int *lengths)
{
    if (!pretrained_ids(ids, m, "nn_pretrained_read") || !has_decoder(m, "nn_pretrained_read"))
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
        ok = nn_decoder_block_fill(&m->decoder[i], memory, &m->source, i);
    ok = ok && nn_cache_advance(&m->source, lengths, S);
    if (!ok)
        nn_cache_free(&m->source);
    return ok;
}

Tensor *pretrained_decode_cached(const Pretrained *m, Tensor *ids, KVCache *cache)
{
    Tape *tape = ids->tape;
    if (!m->source.keys_values)
        return tape_error(tape,
                          "nn_pretrained_logits_cached: no input was read; expected a call of "
                          "nn_pretrained_read before it");
    Tensor *positions =
        m->decoder_position.weight ? nn_cache_positions(cache, tape, ids->shape.dim[1]) : NULL;
    Tensor *x = pretrained_embed(m, true, ids, NULL, positions);
    int mark = pool_used(tape);
    for (int64_t i = 0; i < m->config.decoder_layers; i++) {
        x = nn_decoder_block_cached(&m->decoder[i], x, cache, &m->source, (int)i);
        if (tape->no_grad)
            tape_release_since(tape, mark, x);
    }
    return m->decoder_norm.weight ? nn_norm(&m->decoder_norm, x) : x;
}
