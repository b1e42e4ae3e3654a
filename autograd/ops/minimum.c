/* y = min(a, b), element by element; NaN if one of the two is NaN. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy where a < b, dL/dy / 2 where a = b, else 0; dL/db likewise;
 *   summed over the axes along which the operand is broadcast
 * The loop: ref_minimum in tensor/kernels/ref/elementwise.c; gradients: shared/broadcast.c. */
#include "autograd/ops/shared/op.h"

static void minimum_forward(Node *n)
{
    broadcast_forward(n, kernels->minimum);
}

/* min(a, b) = -max(-a, -b): the share of a is that of maximum with the operands exchanged. */
static void minimum_backward(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1];
    broadcast_share_grad(n, a, b, a);
    broadcast_share_grad(n, b, a, b);
}

const Op op_minimum = {.name = "minimum",
                       .strided = true,
                       .shape = broadcast_shape,
                       .saved = same_size,
                       .forward = minimum_forward,
                       .backward = minimum_backward};

Tensor *ag_minimum(Tensor *a, Tensor *b)
{
    return op_apply(&op_minimum, (Tensor *[]){a, b}, 2, NULL, 0);
}
