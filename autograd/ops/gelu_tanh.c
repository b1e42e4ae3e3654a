/* GELU with a tanh in place of the normal distribution function, as GPT-2 computes it, element by
 * element.
 *   y     = x (1 + tanh u) / 2,  u = sqrt(2 / pi) (x + 0.044715 x^3)
 *   dL/dx = dL/dy ((1 + tanh u) / 2 + x (1 - tanh(u)^2) / 2 du/dx)
 * Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 * x: any shape -> y: the same, within 5e-4 of the exact form.
 * The loops: ref_gelu_tanh and ref_gelu_tanh_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(gelu_tanh, in[0])
