/* y = (e^x - e^-x) / (e^x + e^-x), the hyperbolic tangent, element by element.
 *   dL/dx = dL/dy (1 - y^2)
 * x: any shape -> y: the same, from -1 to 1. Backward reads the result y. Use: the states of
 * recurrent networks.
 * The loops: ref_tanh and ref_tanh_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void tanh_forward(Node *n)
{
    unary_forward(n, kernels->tanh);
}

static void tanh_backward(Node *n)
{
    unary_backward(n, kernels->tanh_backward, n->out);
}

const Op op_tanh = {.name = "tanh",
                    .elementwise = true,
                    .forward = tanh_forward,
                    .backward = tanh_backward};

Tensor *ag_tanh(Tensor *x)
{
    return op_apply(&op_tanh, (Tensor *[]){x}, 1, NULL, 0);
}
