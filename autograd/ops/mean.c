/* The mean of all elements, or along one axis of length n; NaN for n = 0, as in PyTorch.
 *   dL/dx_i = dL/dy / n
 * x: (..., n, ...) -> y without that axis, or with length 1; rank 0 for all elements.
 * The loops: ref_sum and ref_sum_backward in kernels/ref/reduce.c, through shared/reduce.c. */
#include "autograd/ops/shared/op.h"

static void mean_forward(Node *n)
{
    reduce_forward(n, (real)1 / (real)reduce_sizes(n).n);
}

static void mean_backward(Node *n)
{
    reduce_backward(n, (real)1 / (real)reduce_sizes(n).n);
}

const Op op_mean = {.name = "mean",
                    .shape = reduce_shape,
                    .forward = mean_forward,
                    .backward = mean_backward};

Tensor *ag_mean(Tensor *x)
{
    return reduce_apply(&op_mean, x, (ReduceAttrs){.all = true});
}

Tensor *ag_mean_axis(Tensor *x, int axis, bool keepdim)
{
    return reduce_apply(&op_mean, x, (ReduceAttrs){.axis = axis, .keepdim = keepdim});
}
