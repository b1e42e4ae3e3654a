/* model.c: struct, init, forward. See model.h. */
#include "examples/classify/model.h"

/* Initial embeddings smaller than the positional encoding make the order visible from the first
 * step on. */
#define EMBEDDING_DEVIATION 0.3

bool classifier_init(Classifier *m, Params *p, ClassifierConfig c)
{
    const EncoderConfig encoder = {.words = c.words,
                                   .longest = c.longest,
                                   .position = (PositionKind)c.position,
                                   .layers = c.layers,
                                   .block = {.channels = c.channels,
                                             .heads = c.heads,
                                             .dropout = c.dropout}};
    m->config = c;
    if (!nn_encoder_init(&m->encoder, p, "", encoder))
        return false;
    Tensor *embedding = m->encoder.embedding.weight;
    for (int64_t i = 0; i < tensor_size(embedding); i++)
        embedding->data[i] *= (real)EMBEDDING_DEVIATION;
    return nn_linear_init(&m->classes, p, "classes", c.channels, c.classes, true);
}

/* The mean over the tokens without padding: a row of weights 1/n and 0 for each text, times its
 * tokens. (B, T, C) -> (B, C). */
static Tensor *mean_of_tokens(Tensor *x, Tensor *lengths)
{
    const int64_t B = x->shape.dim[0], T = x->shape.dim[1], C = x->shape.dim[2];
    Tensor *weights = tape_full(x->tape, 0, shape3(B, 1, T));
    if (tensor_is_poison(weights) || tensor_is_poison(lengths))
        return tensor_poison();
    for (int64_t b = 0; b < B; b++)
        for (int t = 0; t < lengths->ids[b]; t++)
            weights->data[b * T + t] = (real)1 / (real)lengths->ids[b];
    return ag_reshape(ag_matmul(weights, x), shape2(B, C));
}

static Tensor *first_token(Tensor *x)
{
    return ag_reshape(ag_slice(x, 1, 0, 1), shape2(-1, shape_last(x->shape)));
}

Tensor *classifier_logits(const Classifier *m, Tensor *ids, Tensor *lengths)
{
    Tensor *x = nn_encoder(&m->encoder, ids, (Mask){.lengths = lengths});
    if (tensor_is_poison(x))
        return x;
    x = m->config.pool == POOL_MEAN ? mean_of_tokens(x, lengths) : first_token(x);
    return nn_linear(&m->classes, x);
}
