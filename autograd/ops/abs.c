/* y = |x|, element by element.
 *   dL/dx = dL/dy sign(x),  0 at x = 0
 * x: any shape -> y: the same. At 0 every number from -1 to 1 is a subgradient; 0 is PyTorch's
 * choice, too. The loops: ref_abs and ref_abs_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void abs_forward(Node *n)
{
    unary_forward(n, kernels->abs);
}

static void abs_backward(Node *n)
{
    unary_backward(n, kernels->abs_backward, n->in[0]);
}

const Op op_abs = {.name = "abs",
                   .elementwise = true,
                   .forward = abs_forward,
                   .backward = abs_backward};

Tensor *ag_abs(Tensor *x)
{
    return op_apply(&op_abs, (Tensor *[]){x}, 1, NULL, 0);
}
