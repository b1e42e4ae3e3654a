/* The variance of all elements, or along one axis of length n.
 *   y       = sum_j (x_j - mean)^2 / m,  m = n - 1 (unbiased) or n
 *   dL/dx_i = dL/dy 2 (x_i - mean) / m
 * NaN where m is 0, as in PyTorch.
 * The derivative of the mean drops out: sum_j (x_j - mean) is 0.
 * The loops: ref_variance and ref_variance_backward in tensor/kernels/ref/reduce.c. */
#include "autograd/ops/shared/reduce.h"

static void variance_forward(Node *n)
{
    const ReduceAttrs *attrs = n->attrs;
    Reduction r = reduce_sizes(n);
    kernels->variance(n->out->data, n->in[0]->data, attrs->unbiased, r.outer, r.n, r.inner);
}

static void variance_backward(Node *n)
{
    const ReduceAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0];
    Reduction r = reduce_sizes(n);
    kernels->variance_backward(x->grad, n->out->grad, x->data, attrs->unbiased, r.outer, r.n,
                               r.inner);
}

const Op op_variance = {.name = "variance",
                        .shape = reduce_shape,
                        .forward = variance_forward,
                        .backward = variance_backward};

Tensor *ag_variance(Tensor *x, bool unbiased)
{
    return reduce_apply(&op_variance, x, (ReduceAttrs){.all = true, .unbiased = unbiased});
}

Tensor *ag_variance_axis(Tensor *x, int axis, bool unbiased, bool keepdim)
{
    return reduce_apply(&op_variance, x,
                        (ReduceAttrs){.axis = axis, .keepdim = keepdim, .unbiased = unbiased});
}
