/* y = x sigmoid(x), also called swish, element by element.
 *   dL/dx = dL/dy s (1 + x (1 - s)),  s = sigmoid(x)
 * Source: Elfwing, Uchibe, Doya, "Sigmoid-weighted linear units", 2018; Ramachandran, Zoph, Le
 * 2017. x: any shape -> y: the same. Llama's gated feedforward network uses it (SwiGLU). The loops:
 * ref_silu and ref_silu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(silu, in[0])
