/* The maximum along one axis; NaN if one of the numbers is NaN.
 *   dL/dx_i = dL/dy for the first i with x_i = y, else 0
 * Error: the axis has length 0.
 * x: (..., n, ...) -> y without that axis, or with length 1. The gradient of one element only:
 * PyTorch's max along a dimension does the same.
 * The loops: ref_max and ref_max_backward in tensor/kernels/ref/reduce.c. */
#include "autograd/ops/shared/reduce.h"

static bool max_shape(const Node *n, Shape *y)
{
    if (!reduce_shape(n, y))
        return false;
    return reduce_sizes(n).n > 0 ||
           op_fail(n, "axis %d of %s has length 0; expected at least one number",
                   ((const ReduceAttrs *)n->attrs)->axis, tensor_describe(n->in[0]));
}

static void max_forward(Node *n)
{
    Reduction r = reduce_sizes(n);
    kernels->max(n->out->data, n->in[0]->data, r.outer, r.n, r.inner);
}

static void max_backward(Node *n)
{
    const Tensor *x = n->in[0];
    Reduction r = reduce_sizes(n);
    kernels->max_backward(x->grad, n->out->grad, x->data, r.outer, r.n, r.inner);
}

const Op op_max = {.name = "max",
                   .shape = max_shape,
                   .forward = max_forward,
                   .backward = max_backward};

Tensor *ag_max_axis(Tensor *x, int axis, bool keepdim)
{
    return reduce_apply(&op_max, x, (ReduceAttrs){.axis = axis, .keepdim = keepdim});
}
