/* The variance of all elements, or along one axis of length n.
 *   y       = sum_j (x_j - mean)^2 / m,  m = n - 1 (unbiased) or n
 *   dL/dx_i = dL/dy 2 (x_i - mean) / m
 * NaN where m is 0, as in PyTorch. */
#include "autograd/ops/reduce.h"

typedef struct {
    ReduceAttrs over; /* first: reduce.c reads it as its own */
    bool unbiased;
} VarianceAttrs;

static void variance_forward(Node *n)
{
    const VarianceAttrs *attrs = n->attrs;
    Reduction r = reduce_sizes(n);
    kernels->variance(n->out->data, n->in[0]->data, attrs->unbiased, r.outer, r.n, r.inner);
}

static void variance_backward(Node *n)
{
    const VarianceAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0];
    Reduction r = reduce_sizes(n);
    kernels->variance_back(x->grad, n->out->grad, x->data, attrs->unbiased, r.outer, r.n, r.inner);
}

const Op op_variance = {
    .name = "variance",
    .required = 1,
    .shape = reduce_shape,
    .forward = variance_forward,
    .backward = variance_backward,
};

Tensor *ag_variance(Tensor *x, bool unbiased)
{
    VarianceAttrs attrs = {.over = {.all = true}, .unbiased = unbiased};
    return ag_apply(&op_variance, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}

Tensor *ag_variance_axis(Tensor *x, int axis, bool unbiased, bool keepdim)
{
    VarianceAttrs attrs = {.over = {.axis = axis, .keepdim = keepdim}, .unbiased = unbiased};
    return ag_apply(&op_variance, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
