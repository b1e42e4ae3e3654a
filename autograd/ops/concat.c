/* Joins n >= 1 tensors along an axis; their shapes may differ along that axis only.
 *   dL/dx_k is x_k's part of dL/dy
 * Lecture: V "Multi-Head Self-Attention (MSA)" (lectures/README.md).
 * (..., n_k, ...) for k = 1 .. n -> (..., n_1 + n_2 + ..., ...); an operand may have length 0 along
 * the axis. The loops: ref_copy and ref_axpy in tensor/kernels/ref/elementwise.c, through
 * shared/parts.c. */
#include "autograd/ops/shared/op.h"
#include "tensor/memory.h"

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
