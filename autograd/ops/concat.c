/* Joins n >= 1 tensors along an axis; their shapes may differ along that axis only. ag_stack joins
 * tensors of one shape along a new axis.
 *   dL/dx_k is x_k's part of dL/dy
 * Lecture: V "Multi-Head Self-Attention (MSA)" (lectures/README.md).
 * (..., n_k, ...) for k = 1 .. n -> (..., n_1 + n_2 + ..., ...); an operand may have length 0 along
 * the axis. The loops: ref_copy and ref_muladd in tensor/kernels/ref/elementwise.c, through
 * shared/parts.c. */
#include "autograd/ops/shared/op.h"
#include "tensor/memory.h"

#include <string.h>

/* y begins as the shape of operand 1 and grows along the axis. */
static bool concat_shape(const Node *n, Shape *y)
{
    int axis = shape_axis(*y, *(const int *)n->attrs, n->function);
    if (axis < 0)
        return false;
    for (int k = 1; k < n->inputs; k++) {
        Shape x = n->in[k]->shape, like = *y;
        int64_t length = x.rank == y->rank ? x.dim[axis] : 0;
        like.dim[axis] = length;
        if (!shape_equal(x, like))
            return op_fail(
                n,
                "operand %d is %s, operand 1 is %s; expected shapes that differ along axis %d only",
                k + 1, tensor_describe(n->in[k]), tensor_describe(n->in[0]), axis);
        y->dim[axis] += length;
    }
    return true;
}

/* Operand k's part begins after those of the operands before it. */
static Tensor concat_part(const Node *n, int k)
{
    int axis = axis_of(n, n->out->shape.rank);
    int64_t begin = 0;
    for (int i = 0; i < k; i++)
        begin += n->in[i]->shape.dim[axis];
    return part_at(n, k, begin * n->out->stride[axis]);
}

static void concat_forward(Node *n)
{
    parts_forward(n, concat_part);
}

static void concat_backward(Node *n)
{
    parts_backward(n, concat_part);
}

const Op op_concat = {.name = "concat",
                      .strided = true,
                      .shape = concat_shape,
                      .forward = concat_forward,
                      .backward = concat_backward};

Tensor *ag_concat(Tensor *const *x, int n, int axis)
{
    return op_apply(&op_concat, x, n, &axis, sizeof axis);
}

/* Can these be stacked along *axis, which becomes a number from 0? */
static bool stackable(Tensor *const *x, int n, int *axis)
{
    Shape y = x[0]->shape;
    if (y.rank == TENSOR_MAX_RANK)
        return tensor_fail("ag_stack: operand 1 is %s; expected at most %d axes, as the result has "
                           "one more",
                           tensor_describe(x[0]), TENSOR_MAX_RANK - 1);
    for (int k = 0; k < n; k++)
        if (x[k]->ids || !shape_equal(x[k]->shape, y))
            return tensor_fail("ag_stack: operand %d is %s, operand 1 is %s; expected real numbers "
                               "of one shape",
                               k + 1, tensor_describe(x[k]), tensor_describe(x[0]));
    y.dim[y.rank++] = n;
    *axis = shape_axis(y, *axis, "ag_stack");
    return *axis >= 0;
}

/* The operands are joined along an axis of length 1, which a view gives each of them. */
Tensor *ag_stack(Tensor *const *x, int n, int axis)
{
    Tape *tape = operands_tape("ag_stack", &op_concat, x, n);
    Tensor **view =
        tape && stackable(x, n, &axis) ? tape_memory(tape, (size_t)n * sizeof *view) : NULL;
    if (!view)
        return tape_fail(tape);
    Shape one = x[0]->shape;
    memmove(one.dim + axis + 1, one.dim + axis, (size_t)(one.rank++ - axis) * sizeof *one.dim);
    one.dim[axis] = 1;
    for (int k = 0; k < n; k++)
        view[k] = ag_reshape(tape_param(tape, x[k]), one);
    return apply_as("ag_stack", &op_concat, view, n, &axis, sizeof axis);
}
