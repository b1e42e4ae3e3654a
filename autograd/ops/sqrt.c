/* y = sqrt(x), element by element; NaN for x < 0.
 *   dL/dx = dL/dy / (2 y),  infinite at 0
 * x: any shape -> y: the same. Backward reads the result y.
 * The loops: ref_sqrt and ref_sqrt_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void sqrt_forward(Node *n)
{
    unary_forward(n, kernels->sqrt);
}

static void sqrt_backward(Node *n)
{
    unary_backward(n, kernels->sqrt_backward, n->out);
}

const Op op_sqrt = {.name = "sqrt",
                    .elementwise = true,
                    .forward = sqrt_forward,
                    .backward = sqrt_backward};

Tensor *ag_sqrt(Tensor *x)
{
    return op_apply(&op_sqrt, (Tensor *[]){x}, 1, NULL, 0);
}
