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

static Tensor *stack_call(Tensor **in, const double *arg)
{
    return ag_stack(in, (int)arg[1], (int)arg[0]);
}

static const OpSample stack_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {0, 2}},
    {.label = "last axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 3,
     .arg = {-1, 3}},
    {.label = "middle", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "one but last", .in = {SHAPE(2, 2, 3)}, .inputs = 1, .arg = {-2, 1}},
    {.label = "scalars", .in = {{0}, {0}, {0}}, .inputs = 3, .arg = {0, 3}},
    {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 0)}, .inputs = 2, .arg = {1, 2}},
    {.label = "size 1", .in = {SHAPE(1), SHAPE(1)}, .inputs = 2, .arg = {1, 2}},
    {.label = "shape",
     .in = {SHAPE(2, 3), SHAPE(2, 4)},
     .inputs = 2,
     .arg = {0, 2},
     .fails = "operand 2 is (2, 4), operand 1 is (2, 3); need one shape"},
    {.label = "axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {3, 2},
     .fails = "axes -3 to 2"},
    {.label = "axis < 0",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {-4, 2},
     .fails = "axis -4"},
    {.label = "rank",
     .in = {SHAPE(1, 1, 1, 1, 1, 2)},
     .inputs = 1,
     .arg = {0, 1},
     .fails = "at most 5 axes"},
    {0},
};
static const OpTest stack_test = {
    .call = stack_call,
    .oracle = "torch.stack([x for x in (a, b, c) if x is not None], n0)",
    .samples = stack_samples,
};

const Op op_stack = {
    .name = "stack",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = stack_shape,
    .forward = stack_forward,
    .backward = stack_backward,
    .test = &stack_test,
};

Tensor *ag_stack(Tensor *const *x, int n, int axis)
{
    StackAttrs attrs = {axis};
    return ag_apply(&op_stack, x, x && n > 0 ? n : 0, &attrs, sizeof attrs);
}
