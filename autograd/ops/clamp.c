/* min(max(x, low), high), element by element.
 *   dL/dx = dL/dy where low <= x <= high, else 0
 * Error: low > high, or one of them NaN. */
#include "autograd/ops/op.h"

#include <math.h>

typedef struct {
    real low, high;
} ClampAttrs;

static bool clamp_shape(const Node *n, Shape *y)
{
    const ClampAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    return attrs->low <= attrs->high || tensor_fail("clamp: low %g, high %g; need low <= high",
                                                    (double)attrs->low, (double)attrs->high);
}

static void clamp_forward(Node *n)
{
    const ClampAttrs *attrs = n->attrs;
    kernels->clamp(n->out->data, n->in[0]->data, attrs->low, attrs->high, tensor_size(n->out));
}

static void clamp_backward(Node *n)
{
    const ClampAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    kernels->clamp_back(x->grad, y->grad, x->data, attrs->low, attrs->high, tensor_size(y));
}

static Tensor *clamp_call(Tensor **in, const double *arg)
{
    return ag_clamp(in[0], (real)arg[0], (real)arg[1]);
}

static const OpSample clamp_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {-0.5, 1}},
    {.label = "odd", .in = {SHAPE(2, 3, 17)}, .inputs = 1, .arg = {-1.5, 0.25}},
    {.label = "to one number", .in = {SHAPE(7)}, .inputs = 1, .arg = {0.5, 0.5}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {0, 1}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {-2, 2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {-2, 2}},
    {.label = "low > high", .in = {SHAPE(3)}, .inputs = 1, .arg = {1, 0}, .fails = "low <= high"},
    {.label = "NaN", .in = {SHAPE(3)}, .inputs = 1, .arg = {NAN, 1}, .fails = "low <= high"},
    {0},
};
static const OpTest clamp_test = {.call = clamp_call,
                                  .oracle = "torch.clamp(a, n0, n1)",
                                  .samples = clamp_samples};

const Op op_clamp = {
    .name = "clamp",
    .required = 1,
    .shape = clamp_shape,
    .forward = clamp_forward,
    .backward = clamp_backward,
    .test = &clamp_test,
};

Tensor *ag_clamp(Tensor *x, real low, real high)
{
    ClampAttrs attrs = {low, high};
    return ag_apply(&op_clamp, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
