/* The hyperbolic tangent, element by element.
 *   dL/dx = dL/dy (1 - y^2) */
#include "autograd/ops/op.h"

static void tanh_forward(Node *n)
{
    unary_forward(n, kernels->tanh);
}

static void tanh_backward(Node *n)
{
    unary_backward(n, kernels->tanh_back, n->out);
}

static Tensor *tanh_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_tanh(in[0]);
}

static const OpSample tanh_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest tanh_test = {.call = tanh_call,
                                 .oracle = "torch.tanh(a)",
                                 .samples = tanh_samples};

const Op op_tanh = {
    .name = "tanh",
    .required = 1,
    .shape = same_shape,
    .forward = tanh_forward,
    .backward = tanh_backward,
    .test = &tanh_test,
};

Tensor *ag_tanh(Tensor *x)
{
    return ag_apply(&op_tanh, (Tensor *[]){x}, 1, NULL, 0);
}
