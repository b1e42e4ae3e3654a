/* e^x, element by element.
 *   dL/dx = dL/dy y */
#include "autograd/ops/op.h"

static void exp_forward(Node *n)
{
    unary_forward(n, kernels->exp);
}

static void exp_backward(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    kernels->muladd(x->grad, 1, 1, y->grad, 1, y->data, 1, tensor_size(y));
}

static Tensor *exp_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_exp(in[0]);
}

static const OpSample exp_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest exp_test = {.call = exp_call, .oracle = "torch.exp(a)", .samples = exp_samples};

const Op op_exp = {
    .name = "exp",
    .required = 1,
    .shape = same_shape,
    .forward = exp_forward,
    .backward = exp_backward,
    .test = &exp_test,
};

Tensor *ag_exp(Tensor *x)
{
    return ag_apply(&op_exp, (Tensor *[]){x}, 1, NULL, 0);
}
