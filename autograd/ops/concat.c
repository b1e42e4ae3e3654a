/* Tensors one after another along an axis.          V "Multi-Head Self-Attention (MSA)"
 *   dL/dx_k is x_k's part of dL/dy
 * n >= 1 tensors of the same shape but for that axis. */
#include "autograd/ops/op.h"

typedef struct {
    int axis;
} ConcatAttrs;

static int concat_axis(const Node *n)
{
    const ConcatAttrs *attrs = n->attrs;
    return attrs->axis < 0 ? attrs->axis + n->in[0]->shape.rank : attrs->axis;
}

static bool concat_shape(const Node *n, Shape *y)
{
    const ConcatAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    int axis = shape_axis(*y, attrs->axis, "concat");
    if (axis < 0)
        return false;
    for (int k = 1; k < n->inputs; k++) {
        if (!n->in[k])
            return tensor_fail("concat: operand %d of %d is NULL", k + 1, n->inputs);
        Shape x = n->in[k]->shape, like = *y;
        int64_t length = x.rank == y->rank ? x.dim[axis] : 0;
        like.dim[axis] = length;
        if (!shape_equal(x, like))
            return tensor_fail(
                "concat: operand %d is %s, operand 1 is %s; they may differ along axis "
                "%d alone",
                k + 1, tensor_describe(n->in[k]), tensor_describe(n->in[0]), axis);
        y->dim[axis] += length;
    }
    return true;
}

/* Operand k's part of the result, as a tensor that shares its numbers and gradient. */
static Tensor concat_part(const Node *n, int k, int64_t *begin)
{
    int axis = concat_axis(n);
    Tensor part = *n->out;
    part.shape = n->in[k]->shape;
    part.data += *begin * part.stride[axis];
    if (part.grad)
        part.grad += *begin * part.stride[axis];
    *begin += part.shape.dim[axis];
    return part;
}

static void concat_forward(Node *n)
{
    int64_t begin = 0;
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = concat_part(n, k, &begin);
        broadcast_copy(&part, n->in[k]);
    }
}

static void concat_backward(Node *n)
{
    int64_t begin = 0;
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = concat_part(n, k, &begin);
        broadcast_add_grad(n->in[k], &part, 1);
    }
}

const Op op_concat = {
    .name = "concat",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = concat_shape,
    .forward = concat_forward,
    .backward = concat_backward,
};

Tensor *ag_concat(Tensor *const *x, int n, int axis)
{
    ConcatAttrs attrs = {axis};
    return ag_apply(&op_concat, x, x && n > 0 ? n : 0, &attrs, sizeof attrs);
}
