/* y = a / b, element by element; infinity or NaN for a division by 0, as in IEEE 754. The shapes
 * broadcast by NumPy's rule.
 *   dL/da = dL/dy / b,  dL/db = -dL/dy y / b,  summed over the axes along which the operand is broadcast
 * With y = a / b in forward, -a / b^2 is -y / b: backward needs y and b, not a.
 * The loop: ref_div in tensor/kernels/ref/elementwise.c; gradients: shared/broadcast.c. */
#include "autograd/ops/shared/op.h"

/* Both gradients follow from u = dL/dy / b, which n->saved holds. */
static void div_backward(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1];
    Tensor g = *n->out, u = *n->out;
    g.data = n->out->grad;
    u.data = u.grad = n->saved;
    Tensor *in[] = {&g, b};
    Node divide = {.in = in, .out = &u};
    broadcast_forward(&divide, kernels->div);
    broadcast_add_grad(a, &u, 1);
    kernels->mul(u.grad, u.grad, 1, &(real){-1}, 0, tensor_size(&u));
    broadcast_mul_grad(b, &u, n->out);
}

PAIR_OP(div, same_size, div_backward)
