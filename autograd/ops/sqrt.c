/* The square root, element by element; of less than 0 it gives NaN.
 *   dL/dx = dL/dy / (2 y),  infinite at 0 */
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
                    .inherits = 1,
                    .forward = sqrt_forward,
                    .backward = sqrt_backward};

Tensor *ag_sqrt(Tensor *x)
{
    return ag_apply(&op_sqrt, (Tensor *[]){x}, 1, NULL, 0);
}
