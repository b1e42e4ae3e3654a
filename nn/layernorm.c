/* layernorm.c: layer normalisation: each token gets mean 0 and variance 1, then a gain and a bias.
 *                   V "Residual Connection & Layer Normalization", J "Recall: Layer Normalization"
 *                   (lectures/README.md)
 *   y = (x - mean) / sqrt(variance + epsilon) * weight + bias,   mean and variance over the last axis */
#include "nn/internal.h"

/* Gain 1 and bias 0: the module begins as the plain normalisation. */
bool nn_layernorm_init(LayerNorm *l, Params *p, const char *name, int64_t channels)
{
    if (!check_init(l, sizeof *l, p, name, "nn_layernorm_init"))
        return false;
    params_enter(p, name);
    l->weight = params_add(p, "weight", shape1(channels), nn_constant(1));
    l->bias = params_add(p, "bias", shape1(channels), nn_constant(0));
    l->epsilon = (real)1e-5;
    params_leave(p);
    return l->weight && l->bias;
}

/* Each token by itself: neither other tokens nor the rest of the batch enter. */
Tensor *nn_layernorm(const LayerNorm *l, Tensor *x)
{
    if (!check_module(l && l->bias ? l->weight : NULL, x, "nn_layernorm"))
        return tensor_poison();
    return ag_layernorm(x, l->weight, l->bias, l->epsilon);
}
