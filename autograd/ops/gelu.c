/* x Phi(x), element by element, Phi the normal distribution function: the exact form, with erf.
 *   dL/dx = dL/dy (Phi(x) + x phi(x)),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
 * Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016. */
#include "autograd/ops/op.h"

static void gelu_forward(Node *n)
{
    unary_forward(n, kernels->gelu);
}

static void gelu_backward(Node *n)
{
    unary_backward(n, kernels->gelu_back, n->in[0]);
}

static Tensor *gelu_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_gelu(in[0]);
}

static const OpSample gelu_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest gelu_test = {.call = gelu_call,
                                 .oracle = "torch.nn.functional.gelu(a)",
                                 .samples = gelu_samples};

const Op op_gelu = {
    .name = "gelu",
    .required = 1,
    .shape = same_shape,
    .forward = gelu_forward,
    .backward = gelu_backward,
    .test = &gelu_test,
};

Tensor *ag_gelu(Tensor *x)
{
    return ag_apply(&op_gelu, (Tensor *[]){x}, 1, NULL, 0);
}
