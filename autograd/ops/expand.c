/* A tensor repeated along axes of length 1, and along new ones in front (as torch.expand).
 *   y[i, j] = x[0, j],  dL/dx[0, j] = sum_i dL/dy[i, j]          here along axis 0
 * x -> the given shape; a length of -1 is x's own. Ops that broadcast do this by themselves. */
#include "autograd/ops/op.h"

typedef struct {
    Shape shape;
} ExpandAttrs;

static bool expand_shape(const Node *n, Shape *y)
{
    const ExpandAttrs *attrs = n->attrs;
    Shape x = n->in[0]->shape, wanted = attrs->shape;
    int added = wanted.rank - x.rank;
    if (wanted.rank > TENSOR_MAX_RANK || added < 0)
        return tensor_fail("expand: x is %s, the shape %s; need %d to %d axes",
                           tensor_describe(n->in[0]), shape_str(wanted), x.rank, TENSOR_MAX_RANK);
    *y = wanted;
    for (int i = 0; i < y->rank; i++) {
        int64_t own = i < added ? 1 : x.dim[i - added];
        if (y->dim[i] == -1 && i >= added)
            y->dim[i] = own;
        if (y->dim[i] < 0 || (own != 1 && y->dim[i] != own))
            return tensor_fail("expand: x is %s, the shape %s; from the last axis on, lengths must "
                               "be equal or -1, or x's must be 1",
                               tensor_describe(n->in[0]), shape_str(wanted));
    }
    return true;
}

static void expand_forward(Node *n)
{
    broadcast_copy(n->out, n->in[0]);
}

static void expand_backward(Node *n)
{
    broadcast_add_grad(n->in[0], n->out, 1);
}

/* args: up to three lengths, and how many they are. */
static Tensor *expand_call(Tensor **in, const double *arg)
{
    Shape shape = {.rank = (int)arg[3]};
    for (int i = 0; i < 3; i++)
        shape.dim[i] = (int64_t)arg[i];
    return ag_expand(in[0], shape);
}

static const OpSample expand_samples[] = {
    {.label = "column", .in = {SHAPE(3, 1)}, .inputs = 1, .arg = {3, 4, 0, 2}},
    {.label = "row", .in = {SHAPE(1, 3)}, .inputs = 1, .arg = {4, -1, 0, 2}},
    {.label = "new axis", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {4, -1, 3, 3}},
    {.label = "both", .in = {SHAPE(2, 1)}, .inputs = 1, .arg = {3, 2, 4, 3}},
    {.label = "as it is", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {-1, -1, 0, 2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {2, 3, 0, 2}},
    {.label = "scalar to scalar", .in = {{0}}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {2, 1, 5, 3}},
    {.label = "size 0", .in = {SHAPE(1, 0)}, .inputs = 1, .arg = {3, 0, 0, 2}},
    {.label = "to nothing", .in = {SHAPE(2, 1)}, .inputs = 1, .arg = {2, 0, 0, 2}},
    {.label = "length",
     .in = {SHAPE(2, 3)},
     .inputs = 1,
     .arg = {4, 3, 0, 2},
     .fails = "x is (2, 3), the shape (4, 3); from the last axis on"},
    {.label = "new axis of -1", .in = {SHAPE(3)}, .inputs = 1, .arg = {-1, 3, 0, 2}, .fails = "-1"},
    {.label = "negative", .in = {SHAPE(1)}, .inputs = 1, .arg = {-2, 0, 0, 1}, .fails = "(-2,)"},
    {.label = "fewer axes",
     .in = {SHAPE(1, 3)},
     .inputs = 1,
     .arg = {3, 0, 0, 1},
     .fails = "need 2 to 6 axes"},
    {.label = "rank 1000",
     .in = {SHAPE(1, 3)},
     .inputs = 1,
     .arg = {3, 0, 0, 1000},
     .fails = "need 2 to 6 axes"},
    {0},
};
static const OpTest expand_test = {
    .call = expand_call,
    .oracle = "a.expand((n0, n1, n2)[:n3]).clone()",
    .samples = expand_samples,
};

const Op op_expand = {
    .name = "expand",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = expand_shape,
    .forward = expand_forward,
    .backward = expand_backward,
    .test = &expand_test,
};

Tensor *ag_expand(Tensor *x, Shape shape)
{
    ExpandAttrs attrs = {shape};
    return ag_apply(&op_expand, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
