/* y = x sigmoid(x), also called swish, element by element.
 *   dL/dx = dL/dy s (1 + x (1 - s)),  s = sigmoid(x)
 * Source: Elfwing, Uchibe, Doya, "Sigmoid-weighted linear units", 2018; Ramachandran, Zoph, Le
 * 2017. x: any shape -> y: the same. Llama's gated feedforward network uses it (SwiGLU). The loops:
 * ref_silu and ref_silu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void silu_forward(Node *n)
{
    unary_forward(n, kernels->silu);
}

static void silu_backward(Node *n)
{
    unary_backward(n, kernels->silu_backward, n->in[0]);
}

const Op op_silu = {.name = "silu",
                    .elementwise = true,
                    .forward = silu_forward,
                    .backward = silu_backward};

Tensor *ag_silu(Tensor *x)
{
    return op_apply(&op_silu, (Tensor *[]){x}, 1, NULL, 0);
}
