/* y = max(a, b), element by element; NaN if one of the two is NaN. The shapes broadcast by NumPy's
 * rule.
 *   dL/da = dL/dy where a > b, dL/dy / 2 where a = b, else 0; dL/db likewise;
 *   summed over the axes along which the operand is broadcast
 * Half to each at a tie is a subgradient that does not depend on the order of the operands;
 * PyTorch does the same.
 * The loop: ref_maximum in tensor/kernels/ref/elementwise.c; gradients: ref_maximum_share there. */
#include "autograd/ops/shared/op.h"

/* x.grad += dy s; n->saved receives the shares s = 0, 1/2 or 1 that x has in max(x, other). */
static void share_backward(const Node *n, Tensor *x, Tensor *other)
{
    if (!x->grad)
        return;
    Tensor share = *n->out;
    share.data = n->saved;
    Node compare = {.in = (Tensor *[]){x, other}, .out = &share};
    broadcast_forward(&compare, kernels->maximum_share);
    broadcast_mul_grad(x, n->out, &share);
}

static void maximum_backward(Node *n)
{
    share_backward(n, n->in[0], n->in[1]);
    share_backward(n, n->in[1], n->in[0]);
}

PAIR_OP(maximum, same_size, maximum_backward)

/* min(a, b) = -max(-a, -b), ties and NaN included. A weight becomes an operand on the other's
 * tape. */
Tensor *ag_minimum(Tensor *a, Tensor *b)
{
    Tape *tape = operands_tape("ag_minimum", &op_maximum, (Tensor *[]){a, b}, 2);
    if (!tape)
        return tensor_poison();
    Tensor *x = ag_neg(tape_param(tape, a)), *y = ag_neg(tape_param(tape, b));
    return ag_neg(apply_as("ag_minimum", &op_maximum, (Tensor *[]){x, y}, 2, NULL, 0));
}
