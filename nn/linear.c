/* linear.c: a linear layer.
 *                   B "Embedding Tokens: Key, Query and Value", J "Feedforward Network" (lectures/README.md)
 *   y = x W^T + b,   x (..., in),  W (out, in),  b (out),  y (..., out) */
#include "nn/internal.h"

/* Both are uniform with bound 1 / sqrt(in), as in PyTorch, so that the outputs of inputs with
 * variance 1 have a variance near 1/3. */
bool nn_linear_init(Linear *l, Params *p, const char *path, int64_t in, int64_t out, bool bias)
{
    if (!(path = init_path(l, sizeof *l, p, path, "nn_linear_init")))
        return false;
    l->path = path;
    l->weight =
        params_add(p, params_path(p, "%s.weight", path), shape2(out, in), nn_torch_linear(in));
    if (bias)
        l->bias = params_add(p, params_path(p, "%s.bias", path), shape1(out), nn_torch_linear(in));
    if (bias && !l->bias)
        l->weight = NULL; /* nn_linear refuses a layer without a weight */
    return l->weight != NULL;
}

/* One row of W for each output: y_o = sum_i W_oi x_i + b_o. */
Tensor *nn_linear(const Linear *l, Tensor *x)
{
    if (!check_module(l ? l->weight : NULL, x, "nn_linear"))
        return tensor_poison();
    return given_name(ag_linear(x, l->weight, l->bias), l->path, "");
}
