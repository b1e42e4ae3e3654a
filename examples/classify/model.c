/* model.c: struct, init, forward. See model.h. */
#include "examples/classify/model.h"

/* Initial embeddings smaller than the positional encoding make the order visible from the first
 * step on. */
#define EMBEDDING_DEVIATION 0.3

bool classifier_init(Classifier *m, Params *p, ClassifierConfig c)
{
    const BlockConfig block = {.channels = c.channels, .heads = c.heads, .dropout = c.dropout};
    m->config = c;
    bool ok = nn_embedding_init(&m->embedding, p, "embedding", c.words, c.channels) &&
              nn_position_init(&m->position, p, "position", (PositionKind)c.position, c.longest,
                               c.channels);
    for (int i = 0; ok && i < c.layers; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_format(p, "blocks.%d", i), block);
    for (int64_t i = 0; ok && i < tensor_size(m->embedding.weight); i++)
        m->embedding.weight->data[i] *= (real)EMBEDDING_DEVIATION;
    return ok && nn_layernorm_init(&m->norm, p, "norm", c.channels) &&
           nn_linear_init(&m->classes, p, "classes", c.channels, c.classes, true);
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
    const Mask mask = {.lengths = lengths};
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, ids));
    for (int i = 0; i < m->config.layers; i++)
        x = nn_transformer_block(&m->blocks[i], x, mask);
    x = nn_norm(&m->norm, x);
    if (tensor_is_poison(x))
        return x;
    x = m->config.pool == POOL_MEAN ? mean_of_tokens(x, lengths) : first_token(x);
    return nn_linear(&m->classes, x);
}
