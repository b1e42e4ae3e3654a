/* The running sum along one axis.
 *   y_i     = x_0 + ... + x_i
 *   dL/dx_i = dL/dy_i + ... + dL/dy_n-1
 * x: any shape -> y: the same. An element of x is a term of every later sum, hence the sum from
 * the end in backward. Error: an axis that x does not have.
 * The loops: ref_cumsum and ref_cumsum_backward in tensor/kernels/ref/reduce.c. */
#include "autograd/ops/shared/reduce.h"

static bool cumsum_shape(const Node *n, Shape *y)
{
    const ReduceAttrs *attrs = n->attrs;
    return shape_axis(*y, attrs->axis, n->function) >= 0;
}

static void cumsum_forward(Node *n)
{
    Reduction r = reduce_sizes(n);
    kernels->cumsum(n->out->data, n->in[0]->data, r.outer, r.n, r.inner);
}

static void cumsum_backward(Node *n)
{
    Reduction r = reduce_sizes(n);
    kernels->cumsum_backward(n->in[0]->grad, n->out->grad, r.outer, r.n, r.inner);
}

const Op op_cumsum = {.name = "cumsum",
                      .shape = cumsum_shape,
                      .forward = cumsum_forward,
                      .backward = cumsum_backward};

Tensor *ag_cumsum(Tensor *x, int axis)
{
    return reduce_apply(&op_cumsum, x, (ReduceAttrs){.axis = axis});
}
