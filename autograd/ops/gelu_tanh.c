/* GELU with a tanh in place of the normal distribution function, as GPT-2 computes it, element by
 * element.
 *   y     = x (1 + tanh u) / 2,  u = sqrt(2 / pi) (x + 0.044715 x^3)
 *   dL/dx = dL/dy ((1 + tanh u) / 2 + x (1 - tanh(u)^2) / 2 du/dx)
 * Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 * x: any shape -> y: the same, within 5e-4 of the exact form.
 * The loops: ref_gelu_tanh and ref_gelu_tanh_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void gelu_tanh_forward(Node *n)
{
    unary_forward(n, kernels->gelu_tanh);
}

static void gelu_tanh_backward(Node *n)
{
    unary_backward(n, kernels->gelu_tanh_backward, n->in[0]);
}

const Op op_gelu_tanh = {.name = "gelu_tanh",
                         .elementwise = true,
                         .forward = gelu_tanh_forward,
                         .backward = gelu_tanh_backward};

Tensor *ag_gelu_tanh(Tensor *x)
{
    return op_apply(&op_gelu_tanh, (Tensor *[]){x}, 1, NULL, 0);
}
