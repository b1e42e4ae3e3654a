/* A number in the place of the elements where a mask is 1.
 *   dL/dx = dL/dy where the mask is 0, else exactly 0
 * x, the mask (broadcasts to x) -> the shape of x. Error: a mask with something else than 0 and 1. */
#include "autograd/ops/select.h"

typedef struct {
    real value;
} MaskedFillAttrs;

static bool masked_fill_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *mask = n->in[1];
    if (!shape_broadcast(x->shape, mask->shape, y) || !shape_equal(*y, x->shape))
        return tensor_fail("masked_fill: x is %s, the mask is %s; from the last axis on, its "
                           "lengths must be x's or 1",
                           tensor_describe(x), tensor_describe(mask));
    return select_check("masked_fill", mask);
}

static void masked_fill_forward(Node *n)
{
    const MaskedFillAttrs *attrs = n->attrs;
    real value = attrs->value;
    Tensor number = {.data = &value};
    select_forward(n->out, n->in[0], n->in[1], 0);
    select_forward(n->out, &number, n->in[1], 1);
}

static void masked_fill_backward(Node *n)
{
    select_backward(n->in[0], n->out, n->in[1], 0);
}

/* args: the number; what the mask is multiplied by, for a wrong one. */
static Tensor *masked_fill_call(Tensor **in, const double *arg)
{
    return ag_masked_fill(in[0], arg[1] != 0 ? ag_scale(in[1], (real)arg[1]) : in[1], (real)arg[0]);
}

static const OpSample masked_fill_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 2, .arg = {-7}},
    {.label = "row", .in = {SHAPE(3, 4), SHAPE(4)}, .inputs = 2, .arg = {0}},
    {.label = "column", .in = {SHAPE(2, 3, 4), SHAPE(3, 1)}, .inputs = 2, .arg = {0.5}},
    {.label = "scalars", .in = {{0}, {0}}, .inputs = 2, .arg = {1}},
    {.label = "one for all", .in = {SHAPE(5), {0}}, .inputs = 2, .arg = {1}},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1, 1)}, .inputs = 2, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(0, 3), SHAPE(3)}, .inputs = 2, .arg = {1}},
    {.label = "wrong", .in = {SHAPE(2, 3), SHAPE(2, 4)}, .inputs = 2, .fails = "x's or 1"},
    {.label = "larger mask",
     .in = {SHAPE(3), SHAPE(2, 3)},
     .inputs = 2,
     .fails = "x is (3,), the mask is (2, 3)"},
    {.label = "no mask",
     .in = {SHAPE(4), SHAPE(4)},
     .inputs = 2,
     .arg = {1, -1},
     .fails = "has -1 at element 1; need 0 or 1"},
    {0},
};
static const OpTest masked_fill_test = {
    .call = masked_fill_call,
    .oracle = "a.masked_fill(b != 0, n0)",
    .constant = 1 << 1,
    .samples = masked_fill_samples,
};

const Op op_masked_fill = {
    .name = "masked_fill",
    .required = 2,
    .flags = OP_STRIDED,
    .shape = masked_fill_shape,
    .forward = masked_fill_forward,
    .backward = masked_fill_backward,
    .test = &masked_fill_test,
};

Tensor *ag_masked_fill(Tensor *x, Tensor *mask, real value)
{
    MaskedFillAttrs attrs = {value};
    return ag_apply(&op_masked_fill, (Tensor *[]){x, mask}, 2, &attrs, sizeof attrs);
}
