/* max(x, 0), element by element.                    J "Feedforward Network"
 *   dL/dx = dL/dy where x > 0, else 0 */
#include "autograd/ops/op.h"

static void relu_forward(Node *n)
{
    unary_forward(n, kernels->relu);
}

static void relu_backward(Node *n)
{
    unary_backward(n, kernels->relu_back, n->in[0]);
}

static Tensor *relu_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_relu(in[0]);
}

static const OpSample relu_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest relu_test = {.call = relu_call,
                                 .oracle = "torch.relu(a)",
                                 .samples = relu_samples};

const Op op_relu = {
    .name = "relu",
    .required = 1,
    .shape = same_shape,
    .forward = relu_forward,
    .backward = relu_backward,
    .test = &relu_test,
};

Tensor *ag_relu(Tensor *x)
{
    return ag_apply(&op_relu, (Tensor *[]){x}, 1, NULL, 0);
}
