/* y = max(a, b), element by element; NaN if one of the two is NaN. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy where a > b, dL/dy / 2 where a = b, else 0; dL/db likewise;
 *   summed over the axes along which the operand is broadcast
 * Half to each at a tie is a subgradient that does not depend on the order of the operands;
 * PyTorch does the same.
 * The loop: ref_maximum in tensor/kernels/ref/elementwise.c; gradients: shared/broadcast.c. */
#include "autograd/ops/shared/op.h"

static void maximum_forward(Node *n)
{
    broadcast_forward(n, kernels->maximum);
}

static void maximum_backward(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1];
    broadcast_share_grad(n, a, a, b);
    broadcast_share_grad(n, b, b, a);
}

const Op op_maximum = {.name = "maximum",
                       .strided = true,
                       .shape = broadcast_shape,
                       .saved = same_size,
                       .forward = maximum_forward,
                       .backward = maximum_backward};

Tensor *ag_maximum(Tensor *a, Tensor *b)
{
    return op_apply(&op_maximum, (Tensor *[]){a, b}, 2, NULL, 0);
}
