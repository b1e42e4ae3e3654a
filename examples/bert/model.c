/* model.c: struct, init, forward. See model.h. */
#include "examples/bert/model.h"

/* The initial embeddings are small, because the embedding is also the output layer, and large
 * entries would give large initial logits. */
#define EMBEDDING_DEVIATION 0.125

/* The output layer shares its weight with the embedding and has a bias of its own. */
static bool words_init(Bert *m, Params *p)
{
    const BertConfig *c = &m->config;
    if (!nn_linear_init(&m->transform, p, "transform", c->channels, c->channels, true) ||
        !nn_layernorm_init(&m->transform_norm, p, "transform_norm", c->channels))
        return false;
    m->words = (Linear){.weight = m->encoder.embedding.weight, .path = "words"};
    m->words.bias = params_add(p, "words.bias", shape1(c->tokens), nn_constant(0));
    return m->words.bias != NULL;
}

bool bert_init(Bert *m, Params *p, BertConfig c)
{
    const EncoderConfig encoder = {.words = c.tokens,
                                   .longest = c.longest,
                                   .position = POSITION_LEARNED,
                                   .layers = c.layers,
                                   .dropout = c.dropout,
                                   .block = {.channels = c.channels,
                                             .heads = c.heads,
                                             .dropout = c.dropout}};
    m->config = c;
    bool ok = nn_encoder_init(&m->encoder, p, "", encoder) && words_init(m, p) &&
              nn_linear_init(&m->classes, p, "classes", c.channels, c.classes, true);
    Tensor *embedding = m->encoder.embedding.weight;
    for (int64_t i = 0; ok && i < tensor_size(embedding); i++)
        embedding->data[i] *= (real)EMBEDDING_DEVIATION;
    return ok;
}

Tensor *bert_hidden(const Bert *m, Tensor *ids, Tensor *lengths)
{
    return nn_encoder(&m->encoder, ids, (Mask){.lengths = lengths});
}

Tensor *bert_words(const Bert *m, Tensor *hidden)
{
    Tensor *x = ag_gelu(nn_linear(&m->transform, hidden));
    return nn_linear(&m->words, nn_norm(&m->transform_norm, x));
}

Tensor *bert_class(const Bert *m, Tensor *hidden)
{
    Tensor *first = ag_slice(hidden, 1, 0, 1); /* (B, 1, C): the hidden state at <class> */
    return nn_linear(&m->classes, ag_reshape(first, shape2(-1, m->config.channels)));
}
