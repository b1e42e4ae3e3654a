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

static Tensor *concat_call(Tensor **in, const double *arg)
{
    return ag_concat(in, (int)arg[1], (int)arg[0]);
}

static const OpSample concat_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {0, 2}},
    {.label = "last axis",
     .in = {SHAPE(2, 3), SHAPE(2, 1), SHAPE(2, 4)},
     .inputs = 3,
     .arg = {-1, 3}},
    {.label = "middle", .in = {SHAPE(2, 1, 3), SHAPE(2, 2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "one", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {0, 1}},
    {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "size 1", .in = {SHAPE(1), SHAPE(1)}, .inputs = 2, .arg = {0, 2}},
    {.label = "length",
     .in = {SHAPE(2, 3), SHAPE(1, 3)},
     .inputs = 2,
     .arg = {1, 2},
     .fails = "alone"},
    {.label = "axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {2, 2},
     .fails = "axis"},
    {.label = "rank", .in = {SHAPE(2, 3), SHAPE(2)}, .inputs = 2, .arg = {0, 2}, .fails = "alone"},
    {.label = "scalar", .in = {{0}, {0}}, .inputs = 2, .arg = {0, 2}, .fails = "axis"},
    {0},
};
static const OpTest concat_test = {
    .call = concat_call,
    .oracle = "torch.cat([x for x in (a, b, c) if x is not None], int(n0))",
    .samples = concat_samples,
};

const Op op_concat = {
    .name = "concat",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = concat_shape,
    .forward = concat_forward,
    .backward = concat_backward,
    .test = &concat_test,
};

Tensor *ag_concat(Tensor *const *x, int n, int axis)
{
    ConcatAttrs attrs = {axis};
    return ag_apply(&op_concat, x, x && n > 0 ? n : 0, &attrs, sizeof attrs);
}
