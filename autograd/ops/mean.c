/* The mean of all elements, or along one axis of length n. Of nothing it is NaN, as in PyTorch.
 *   dL/dx_i = dL/dy / n */
#include "autograd/ops/reduce.h"

static void mean_forward(Node *n)
{
    reduce_forward(n, (real)1 / (real)reduce_sizes(n).n);
}

static void mean_backward(Node *n)
{
    reduce_backward(n, (real)1 / (real)reduce_sizes(n).n);
}

const Op op_mean = {
    .name = "mean",
    .required = 1,
    .shape = reduce_shape,
    .forward = mean_forward,
    .backward = mean_backward,
};

Tensor *ag_mean(Tensor *x)
{
    ReduceAttrs attrs = {.all = true};
    return ag_apply(&op_mean, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}

Tensor *ag_mean_axis(Tensor *x, int axis, bool keepdim)
{
    ReduceAttrs attrs = {.axis = axis, .keepdim = keepdim};
    return ag_apply(&op_mean, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
