/* y = max(x, 0), element by element.
 *   dL/dx = dL/dy where x > 0, else 0
 * Lecture: J "Feedforward Network" (lectures/README.md).
 * x: any shape -> y: the same. At 0 the derivative is taken as 0.
 * The loops: ref_relu and ref_relu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void relu_forward(Node *n)
{
    unary_forward(n, kernels->relu);
}

static void relu_backward(Node *n)
{
    unary_backward(n, kernels->relu_backward, n->in[0]);
}

const Op op_relu = {.name = "relu",
                    .elementwise = true,
                    .forward = relu_forward,
                    .backward = relu_backward};

Tensor *ag_relu(Tensor *x)
{
    return op_apply(&op_relu, (Tensor *[]){x}, 1, NULL, 0);
}
