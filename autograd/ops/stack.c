/* Tensors side by side along a new axis.
 *   y[k, ...] = x_k[...],  dL/dx_k = dL/dy[k, ...]       here with the new axis in front
 * n >= 1 tensors of one shape (...) -> (..., n, ...), n standing at the axis. */
#include "autograd/ops/shared/op.h"

static bool stack_shape(const Node *n, Shape *y)
{
    Shape x = n->in[0]->shape;
    int axis = axis_of(n, x.rank + 1);
    if (x.rank == TENSOR_MAX_RANK)
        return tensor_fail("stack: operand 1 is %s; need at most %d axes, for one is added",
                           tensor_describe(n->in[0]), TENSOR_MAX_RANK - 1);
    if (axis < 0 || axis > x.rank)
        return tensor_fail("stack: axis %d; the result of operands %s has axes %d to %d",
                           *(const int *)n->attrs, tensor_describe(n->in[0]), -x.rank - 1, x.rank);
    for (int k = 1; k < n->inputs; k++)
        if (!shape_equal(n->in[k]->shape, x))
            return tensor_fail("stack: operand %d is %s, operand 1 is %s; need one shape", k + 1,
                               tensor_describe(n->in[k]), tensor_describe(n->in[0]));
    y->rank = x.rank + 1;
    for (int i = 0; i < y->rank; i++)
        y->dim[i] = i < axis ? x.dim[i] : i == axis ? n->inputs : x.dim[i - 1];
    return true;
}

static Tensor stack_part(const Node *n, int k)
{
    int axis = axis_of(n, n->out->shape.rank);
    Tensor part = part_at(n, k, k * n->out->stride[axis]);
    for (int i = axis; i < part.shape.rank; i++)
        part.stride[i] = n->out->stride[i + 1];
    return part;
}

static void stack_forward(Node *n)
{
    parts_forward(n, stack_part);
}

static void stack_backward(Node *n)
{
    parts_backward(n, stack_part);
}

const Op op_stack = {.name = "stack",
                     .strided = true,
                     .shape = stack_shape,
                     .forward = stack_forward,
                     .backward = stack_backward};

Tensor *ag_stack(Tensor *const *x, int n, int axis)
{
    return ag_apply(&op_stack, x, x && n > 0 ? n : 0, &axis, sizeof axis);
}
