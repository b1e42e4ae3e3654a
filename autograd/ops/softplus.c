/* log(1 + e^x), element by element: a smooth max(x, 0).
 *   dL/dx = dL/dy sigmoid(x)
 * Dugas, Bengio, Belisle, Nadeau, Garcia 2001. */
#include "autograd/ops/op.h"

static void softplus_forward(Node *n)
{
    unary_forward(n, kernels->softplus);
}

static void softplus_backward(Node *n)
{
    unary_backward(n, kernels->softplus_back, n->in[0]);
}

static Tensor *softplus_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_softplus(in[0]);
}

static const OpSample softplus_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest softplus_test = {.call = softplus_call,
                                     .oracle = "torch.nn.functional.softplus(a)",
                                     .samples = softplus_samples};

const Op op_softplus = {
    .name = "softplus",
    .required = 1,
    .shape = same_shape,
    .forward = softplus_forward,
    .backward = softplus_backward,
    .test = &softplus_test,
};

Tensor *ag_softplus(Tensor *x)
{
    return ag_apply(&op_softplus, (Tensor *[]){x}, 1, NULL, 0);
}
