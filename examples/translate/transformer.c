/* transformer.c: struct, init, forward. See transformer.h. */
#include "examples/translate/transformer.h"

#include <math.h>

/* Initial embeddings have norm about 1; multiplied by sqrt(C), they are about as long as the
 * positional encodings. */
static void shrink(Tensor *embedding, int channels)
{
    for (int64_t i = 0; i < tensor_size(embedding); i++)
        embedding->data[i] /= (real)sqrt(channels);
}

bool transformer_init(Transformer *m, Params *p, TranslatorConfig c)
{
    const BlockConfig block = {.channels = c.channels,
                               .heads = c.heads,
                               .hidden = c.hidden,
                               .dropout = c.dropout,
                               .post_norm = !c.pre_norm,
                               .activation = ACTIVATION_RELU};
    *m = (Transformer){.config = c};
    bool ok = nn_embedding_init(&m->from, p, "from", c.from_words, c.channels) &&
              nn_embedding_init(&m->to, p, "to", c.to_words, c.channels) &&
              nn_position_init(&m->position, p, "position", (PositionKind)c.position, c.longest,
                               c.channels);
    for (int i = 0; ok && i < c.layers; i++)
        ok = nn_transformer_block_init(&m->encoder[i], p, params_path(p, "encoder.%d", i), block) &&
             nn_decoder_block_init(&m->decoder[i], p, params_path(p, "decoder.%d", i), block);
    if (ok && c.pre_norm)
        ok = nn_layernorm_init(&m->encoder_norm, p, "encoder_norm", c.channels) &&
             nn_layernorm_init(&m->decoder_norm, p, "decoder_norm", c.channels);
    if (!ok)
        return false;
    shrink(m->from.weight, c.channels);
    shrink(m->to.weight, c.channels);
    m->head = (Linear){.weight = m->to.weight, .path = "head"};
    return true;
}

/* positions: ids (B, T), or NULL: 0, 1, 2, ... */
static Tensor *embed(const Transformer *m, const Embedding *e, Tensor *ids, Tensor *positions)
{
    Tensor *x = ag_scale(nn_embedding(e, ids), (real)sqrt(m->config.channels));
    x = positions ? nn_position_at(&m->position, x, positions) : nn_position(&m->position, x);
    return ag_dropout(x, (real)m->config.dropout);
}

Tensor *transformer_encode(const Transformer *m, Tensor *ids, Tensor *lengths)
{
    Tensor *x = embed(m, &m->from, ids, NULL);
    for (int i = 0; i < m->config.layers; i++)
        x = nn_transformer_block(&m->encoder[i], x, (Mask){.lengths = lengths});
    return m->config.pre_norm ? nn_norm(&m->encoder_norm, x) : x;
}

static Tensor *logits_of(const Transformer *m, Tensor *x)
{
    return nn_linear(&m->head, m->config.pre_norm ? nn_norm(&m->decoder_norm, x) : x);
}

/* Without cross-attention, every key of the memory is masked. */
static const int zero_lengths[4096];

static Tensor *lengths_seen(const Transformer *m, Tensor *lengths)
{
    if (!m->config.blind || tensor_is_poison(lengths))
        return lengths;
    return tape_ids(lengths->tape, zero_lengths, lengths->shape);
}

Tensor *transformer_decode(const Transformer *m, Tensor *memory, Tensor *lengths, Tensor *ids,
                           Tensor *target_lengths)
{
    const Mask own = {.lengths = target_lengths}; /* and causal, as in every decoder block */
    const Mask other = {.lengths = lengths_seen(m, lengths)};
    Tensor *x = embed(m, &m->to, ids, NULL);
    for (int i = 0; i < m->config.layers; i++)
        x = nn_decoder_block(&m->decoder[i], x, memory, own, other);
    return logits_of(m, x);
}

bool transformer_read(const Transformer *m, Tensor *memory, const int *lengths, KVCache *source)
{
    bool ok = !tensor_is_poison(memory);
    nn_cache_reset(source);
    for (int i = 0; ok && i < m->config.layers; i++)
        ok = nn_decoder_block_fill(&m->decoder[i], memory, source, i);
    return ok &&
           nn_cache_advance(source, m->config.blind ? zero_lengths : lengths, memory->shape.dim[1]);
}

Tensor *transformer_write(const Transformer *m, Tensor *ids, KVCache *written,
                          const KVCache *source)
{
    if (tensor_is_poison(ids))
        return ids;
    Tensor *x = embed(m, &m->to, ids, nn_cache_positions(written, ids->tape, ids->shape.dim[1]));
    for (int i = 0; i < m->config.layers; i++)
        x = nn_decoder_block_cached(&m->decoder[i], x, written, source, i);
    return logits_of(m, x);
}
