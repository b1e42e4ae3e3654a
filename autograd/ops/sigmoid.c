/* The logistic function 1 / (1 + e^-x), element by element.
 *   dL/dx = dL/dy y (1 - y) */
#include "autograd/ops/op.h"

static void sigmoid_forward(Node *n)
{
    unary_forward(n, kernels->sigmoid);
}

static void sigmoid_backward(Node *n)
{
    unary_backward(n, kernels->sigmoid_back, n->out);
}

static Tensor *sigmoid_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_sigmoid(in[0]);
}

static const OpSample sigmoid_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest sigmoid_test = {.call = sigmoid_call,
                                    .oracle = "torch.sigmoid(a)",
                                    .samples = sigmoid_samples};

const Op op_sigmoid = {
    .name = "sigmoid",
    .required = 1,
    .shape = same_shape,
    .forward = sigmoid_forward,
    .backward = sigmoid_backward,
    .test = &sigmoid_test,
};

Tensor *ag_sigmoid(Tensor *x)
{
    return ag_apply(&op_sigmoid, (Tensor *[]){x}, 1, NULL, 0);
}
