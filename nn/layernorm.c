/* layernorm.c: each token to mean 0 and variance 1, then gain and bias.
 *                              V "Residual Connection & Layer Normalization", J "Recall: Layer Normalization" */
#include "nn/nn.h"

bool nn_layernorm_init(LayerNorm *l, Params *p, const char *name, int64_t channels)
{
    params_enter(p, name);
    l->weight = params_add(p, "weight", shape1(channels), nn_constant(1));
    l->bias = params_add(p, "bias", shape1(channels), nn_constant(0));
    l->epsilon = (real)1e-5;
    params_leave(p);
    return l->weight && l->bias;
}

Tensor *nn_layernorm(const LayerNorm *l, Tensor *x)
{
    return ag_layernorm(x, l->weight, l->bias, l->epsilon);
}
