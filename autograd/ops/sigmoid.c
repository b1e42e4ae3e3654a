/* y = 1 / (1 + e^-x), the logistic function, element by element.
 *   dL/dx = dL/dy y (1 - y)
 * x: any shape -> y: the same, from 0 to 1. 1 - y is the sigmoid of -x. Use: the gates of
 * recurrent networks.
 * The loops: ref_sigmoid and ref_sigmoid_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void sigmoid_forward(Node *n)
{
    unary_forward(n, kernels->sigmoid);
}

static void sigmoid_backward(Node *n)
{
    unary_backward(n, kernels->sigmoid_backward, n->out);
}

const Op op_sigmoid = {.name = "sigmoid",
                       .elementwise = true,
                       .forward = sigmoid_forward,
                       .backward = sigmoid_backward};

Tensor *ag_sigmoid(Tensor *x)
{
    return op_apply(&op_sigmoid, (Tensor *[]){x}, 1, NULL, 0);
}
