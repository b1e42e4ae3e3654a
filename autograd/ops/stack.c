/* Tensors side by side along a new axis.
 *   y[k, ...] = x_k[...],  dL/dx_k = dL/dy[k, ...]       here with the new axis in front
 * n >= 1 tensors of one shape (...) -> (..., n, ...), n standing at the axis. */
#include "autograd/ops/op.h"

typedef struct {
    int axis;
} StackAttrs;

/* Negative axes count from the end of the result. */
static int stack_axis(const Node *n)
{
    const StackAttrs *attrs = n->attrs;
    return attrs->axis < 0 ? attrs->axis + n->in[0]->shape.rank + 1 : attrs->axis;
}

static bool stack_shape(const Node *n, Shape *y)
{
    const StackAttrs *attrs = n->attrs;
    Shape x = n->in[0]->shape;
    int axis = stack_axis(n);
    if (x.rank == TENSOR_MAX_RANK)
        return tensor_fail("stack: operand 1 is %s; need at most %d axes, for one is added",
                           tensor_describe(n->in[0]), TENSOR_MAX_RANK - 1);
    if (axis < 0 || axis > x.rank)
        return tensor_fail("stack: axis %d; the result of operands %s has axes %d to %d",
                           attrs->axis, tensor_describe(n->in[0]), -x.rank - 1, x.rank);
    for (int k = 1; k < n->inputs; k++)
        if (!n->in[k])
            return tensor_fail("stack: operand %d of %d is NULL", k + 1, n->inputs);
        else if (!shape_equal(n->in[k]->shape, x))
            return tensor_fail("stack: operand %d is %s, operand 1 is %s; need one shape", k + 1,
                               tensor_describe(n->in[k]), tensor_describe(n->in[0]));
    y->rank = x.rank + 1;
    for (int i = 0; i < y->rank; i++)
        y->dim[i] = i < axis ? x.dim[i] : i == axis ? n->inputs : x.dim[i - 1];
    return true;
}

/* Operand k's part of the result, as a tensor that shares its numbers and gradient. */
static Tensor stack_part(const Node *n, int k)
{
    int axis = stack_axis(n);
    Tensor part = *n->out;
    int64_t offset = k * part.stride[axis];
    part.data += offset;
    part.grad = part.grad ? part.grad + offset : NULL;
    part.shape = n->in[k]->shape;
    for (int i = axis; i < part.shape.rank; i++)
        part.stride[i] = n->out->stride[i + 1];
    return part;
}

static void stack_forward(Node *n)
{
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = stack_part(n, k);
        broadcast_copy(&part, n->in[k]);
    }
}

static void stack_backward(Node *n)
{
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = stack_part(n, k);
        broadcast_add_grad(n->in[k], &part, 1);
    }
}

const Op op_stack = {
    .name = "stack",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = stack_shape,
    .forward = stack_forward,
    .backward = stack_backward,
};

Tensor *ag_stack(Tensor *const *x, int n, int axis)
{
    StackAttrs attrs = {axis};
    return ag_apply(&op_stack, x, x && n > 0 ? n : 0, &attrs, sizeof attrs);
}
