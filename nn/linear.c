/* linear.c: y = x W^T + b.          B "Embedding Tokens: Key, Query and Value", J "Feedforward Network" */
#include "nn/nn.h"

bool nn_linear_init(Linear *l, Params *p, const char *name, int64_t in, int64_t out, bool bias)
{
    params_enter(p, name);
    l->weight = params_add(p, "weight", shape2(out, in), nn_torch_linear(in));
    l->bias = bias ? params_add(p, "bias", shape1(out), nn_torch_linear(in)) : NULL;
    params_leave(p);
    return l->weight && (l->bias || !bias);
}

Tensor *nn_linear(const Linear *l, Tensor *x)
{
    return ag_linear(x, l->weight, l->bias);
}
