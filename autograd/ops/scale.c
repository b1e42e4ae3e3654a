/* s x, element by element, s a number.
 *   dL/dx = s dL/dy */
#include "autograd/ops/op.h"

typedef struct {
    real s;
} ScaleAttrs;

static void scale_forward(Node *n)
{
    const ScaleAttrs *attrs = n->attrs;
    kernels->scale(n->out->data, n->in[0]->data, attrs->s, tensor_size(n->out));
}

static void scale_backward(Node *n)
{
    const ScaleAttrs *attrs = n->attrs;
    kernels->axpy(n->in[0]->grad, 1, attrs->s, n->out->grad, 1, tensor_size(n->out));
}

static Tensor *scale_call(Tensor **in, const double *arg)
{
    return ag_scale(in[0], (real)arg[0]);
}

static const OpSample scale_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {-1.5}},
    {.label = "by 0", .in = {SHAPE(3)}, .inputs = 1, .arg = {0}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {2}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.25}},
    {0},
};
static const OpTest scale_test = {.call = scale_call, .oracle = "a * n0", .samples = scale_samples};

const Op op_scale = {
    .name = "scale",
    .required = 1,
    .shape = same_shape,
    .forward = scale_forward,
    .backward = scale_backward,
    .test = &scale_test,
};

Tensor *ag_scale(Tensor *x, real s)
{
    ScaleAttrs attrs = {s};
    return ag_apply(&op_scale, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
