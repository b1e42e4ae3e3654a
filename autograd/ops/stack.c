/* Joins n >= 1 tensors of one shape along a new axis.
 *   y[k, ...] = x_k[...],  dL/dx_k = dL/dy[k, ...]       here with the new axis in front
 * shape (...) -> (..., n, ...), with n at the new axis.
 * The loops: ref_copy and ref_axpy in tensor/kernels/ref/elementwise.c, through shared/parts.c. */
#include "autograd/ops/shared/op.h"

static bool stack_shape(const Node *n, Shape *y)
{
    Shape x = n->in[0]->shape;
    int axis = axis_of(n, x.rank + 1);
    if (x.rank == TENSOR_MAX_RANK)
        return op_fail(n, "operand 1 is %s; expected at most %d axes, as the result has one more",
                       tensor_describe(n->in[0]), TENSOR_MAX_RANK - 1);
    if (axis < 0 || axis > x.rank)
        return op_fail(n, "axis %d; expected %d to %d, as the result of operands %s has %d axes",
                       *(const int *)n->attrs, -x.rank - 1, x.rank, tensor_describe(n->in[0]),
                       x.rank + 1);
    for (int k = 1; k < n->inputs; k++)
        if (!shape_equal(n->in[k]->shape, x))
            return op_fail(n, "operand %d is %s, operand 1 is %s; expected one shape", k + 1,
                           tensor_describe(n->in[k]), tensor_describe(n->in[0]));
    y->rank = x.rank + 1;
    for (int i = 0; i < y->rank; i++)
        y->dim[i] = i < axis ? x.dim[i] : i == axis ? n->inputs : x.dim[i - 1];
    return true;
}

/* Operand k's part has the strides of y without the new axis, at whose index k it lies. */
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
    return op_apply(&op_stack, x, n, &axis, sizeof axis);
}
