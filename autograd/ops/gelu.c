/* y = x Phi(x), element by element, with the normal distribution function Phi: the exact form, by
 * erf.
 *   dL/dx = dL/dy (Phi(x) + x phi(x)),  phi(x) = exp(-x^2 / 2) / sqrt(2 pi)
 * Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 * x: any shape -> y: the same. Near the identity for large x, near 0 for very negative x, smooth
 * between; BERT and the vision transformer use it in their feedforward networks.
 * The loops: ref_gelu and ref_gelu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(gelu, in[0])
