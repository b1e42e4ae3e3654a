/* y = a b, element by element. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy b,  dL/db = dL/dy a,  summed over the axes along which the operand is broadcast
 * Uses: gates (GRU, gated feedforward networks), masks of numbers.
 * The loop: ref_mul in tensor/kernels/ref/elementwise.c; gradients: shared/broadcast.c. */
#include "autograd/ops/shared/op.h"

static void mul_forward(Node *n)
{
    broadcast_forward(n, kernels->mul);
}

static void mul_backward(Node *n)
{
    broadcast_mul_grad(n->in[0], n->out, n->in[1]);
    broadcast_mul_grad(n->in[1], n->out, n->in[0]);
}

const Op op_mul = {.name = "mul",
                   .strided = true,
                   .shape = broadcast_shape,
                   .forward = mul_forward,
                   .backward = mul_backward};

Tensor *ag_mul(Tensor *a, Tensor *b)
{
    return op_apply(&op_mul, (Tensor *[]){a, b}, 2, NULL, 0);
}
