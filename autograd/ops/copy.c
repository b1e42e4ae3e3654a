/* A contiguous copy: what a reshape of a permuted view, and an op that cannot take strides, begin with.
 *   dL/dx = dL/dy */
#include "autograd/ops/op.h"

static void copy_forward(Node *n)
{
    broadcast_copy(n->out, n->in[0]);
}

static void copy_backward(Node *n)
{
    broadcast_add_grad(n->in[0], n->out, 1);
}

static Tensor *copy_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_copy(in[0]);
}

static const OpSample copy_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest copy_test = {.call = copy_call, .oracle = "a.clone()", .samples = copy_samples};

const Op op_copy = {
    .name = "copy",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = same_shape,
    .forward = copy_forward,
    .backward = copy_backward,
    .test = &copy_test,
};

Tensor *ag_copy(Tensor *x)
{
    return ag_apply(&op_copy, (Tensor *[]){x}, 1, NULL, 0);
}
