/* y = a - b, element by element. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy,  dL/db = -dL/dy,  summed over the axes along which the operand is broadcast
 * A broadcast operand's gradient has the operand's own shape.
 * The loop: ref_sub in tensor/kernels/ref/elementwise.c, for each row of kernels/strided.c. */
#include "autograd/ops/shared/op.h"

static void sub_backward(Node *n)
{
    broadcast_add_grad(n->in[0], n->out, 1);
    broadcast_add_grad(n->in[1], n->out, -1);
}

PAIR_OP(sub, NULL, sub_backward)
