/* decoder.c: the decoder of an encoder-decoder (T5, BART, Marian).
 *
 * The encoder is the model of run.c, which has the passes with caches, too; the decoder reads its
 * result, the memory, through the cross-attentions. Both share the word embedding. */
#include "nn/pretrained/inside.h"

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
    if (!pretrained_ids(ids, m, who) || !has_decoder(m, who) ||
        !check_operand(memory, 3, m->config.channels, who, NULL, "memory", "(B, S, C)"))
        return tape_fail(ids ? ids->tape : NULL);
    Tensor *x = pretrained_embed(m, &m->decoder, ids, NULL, NULL);
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
        ok = pretrained_cross_fill(&m->decoder.blocks[i].cross, memory, &m->source, i);
    ok = ok && nn_cache_advance(&m->source, lengths, S);
    if (!ok)
        nn_cache_free(&m->source);
    return ok;
}
