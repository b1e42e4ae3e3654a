/* a where the mask is 1, b where it is 0.
 *   dL/da = dL/dy where the mask is 1, else 0;  dL/db the other way round;  summed over broadcast axes
 * The three shapes meet by NumPy's rule. The mask takes no gradient.
 * Error: a mask with something else than 0 and 1. */
#include "autograd/ops/select.h"

static bool where_shape(const Node *n, Shape *y)
{
    const Tensor *mask = n->in[0], *a = n->in[1], *b = n->in[2];
    Shape both;
    if (!shape_broadcast(a->shape, b->shape, &both) || !shape_broadcast(mask->shape, both, y))
        return tensor_fail("where: the mask is %s, a is %s, b is %s; from the last axis on, "
                           "lengths must be equal or 1",
                           tensor_describe(mask), tensor_describe(a), tensor_describe(b));
    return select_check("where", mask);
}

static void where_forward(Node *n)
{
    select_forward(n->out, n->in[1], n->in[0], 1);
    select_forward(n->out, n->in[2], n->in[0], 0);
}

static void where_backward(Node *n)
{
    select_backward(n->in[1], n->out, n->in[0], 1);
    select_backward(n->in[2], n->out, n->in[0], 0);
}

/* args: what the mask is multiplied by, for a wrong one. */
static Tensor *where_call(Tensor **in, const double *arg)
{
    return ag_where(arg[0] != 0 ? ag_scale(in[0], (real)arg[0]) : in[0], in[1], in[2]);
}

static const OpSample where_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 3},
    {.label = "all broadcast", .in = {SHAPE(3, 1), SHAPE(4), SHAPE(2, 1, 1)}, .inputs = 3},
    {.label = "row mask", .in = {SHAPE(4), SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 3},
    {.label = "against a number", .in = {SHAPE(2, 5), SHAPE(2, 5), {0}}, .inputs = 3},
    {.label = "number against", .in = {SHAPE(2, 5), {0}, SHAPE(5)}, .inputs = 3},
    {.label = "scalars", .in = {{0}, {0}, {0}}, .inputs = 3},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1), SHAPE(1)}, .inputs = 3},
    {.label = "size 0", .in = {SHAPE(2, 1), SHAPE(2, 0), SHAPE(1)}, .inputs = 3},
    {.label = "wrong",
     .in = {SHAPE(2, 3), SHAPE(2, 4), SHAPE(2, 1)},
     .inputs = 3,
     .fails = "the mask is (2, 3), a is (2, 4), b is (2, 1); from the last axis on"},
    {.label = "wrong pair",
     .in = {SHAPE(2, 1), SHAPE(2, 4), SHAPE(2, 3)},
     .inputs = 3,
     .fails = "equal or 1"},
    {.label = "no mask",
     .in = {SHAPE(4), SHAPE(4), SHAPE(4)},
     .inputs = 3,
     .arg = {2},
     .fails = "has 2 at element 0; need 0 or 1"},
    {0},
};
static const OpTest where_test = {
    .call = where_call,
    .oracle = "torch.where(a != 0, b, c)",
    .constant = 1 << 0,
    .samples = where_samples,
};

const Op op_where = {
    .name = "where",
    .required = 3,
    .flags = OP_STRIDED,
    .shape = where_shape,
    .forward = where_forward,
    .backward = where_backward,
    .test = &where_test,
};

Tensor *ag_where(Tensor *mask, Tensor *a, Tensor *b)
{
    return ag_apply(&op_where, (Tensor *[]){mask, a, b}, 3, NULL, 0);
}
