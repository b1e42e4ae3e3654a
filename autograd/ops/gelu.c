/* y = x Phi(x), element by element, with the normal distribution function Phi: the exact form, by
 * erf.
 *   dL/dx = dL/dy (Phi(x) + x phi(x)),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
 * Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 * x: any shape -> y: the same. Near the identity for large x, near 0 for very negative x, smooth
 * between; BERT and the vision transformer use it in their feedforward networks.
 * The loops: ref_gelu and ref_gelu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void gelu_forward(Node *n)
{
    unary_forward(n, kernels->gelu);
}

static void gelu_backward(Node *n)
{
    unary_backward(n, kernels->gelu_backward, n->in[0]);
}

const Op op_gelu = {.name = "gelu",
                    .elementwise = true,
                    .forward = gelu_forward,
                    .backward = gelu_backward};

Tensor *ag_gelu(Tensor *x)
{
    return op_apply(&op_gelu, (Tensor *[]){x}, 1, NULL, 0);
}
