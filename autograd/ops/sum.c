/* The sum of all elements, or along one axis.
 *   dL/dx_i = dL/dy
 * x: (..., n, ...) -> y without that axis, or with length 1; rank 0 for all elements. An empty sum
 * is 0. The loops: ref_sum and ref_sum_backward in tensor/kernels/ref/reduce.c, through
 * shared/reduce.c. */
#include "autograd/ops/shared/op.h"

static void sum_forward(Node *n)
{
    reduce_forward(n, 1);
}

static void sum_backward(Node *n)
{
    reduce_backward(n, 1);
}

const Op op_sum = {.name = "sum",
                   .shape = reduce_shape,
                   .forward = sum_forward,
                   .backward = sum_backward};

Tensor *ag_sum(Tensor *x)
{
    return reduce_apply(&op_sum, x, (ReduceAttrs){.all = true});
}

Tensor *ag_sum_axis(Tensor *x, int axis, bool keepdim)
{
    return reduce_apply(&op_sum, x, (ReduceAttrs){.axis = axis, .keepdim = keepdim});
}
