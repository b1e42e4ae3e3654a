/* y = log(1 + e^x), a smooth max(x, 0), element by element.
 *   dL/dx = dL/dy sigmoid(x)
 * Source: Dugas, Bengio, Belisle, Nadeau, Garcia 2001.
 * x: any shape -> y: the same. Its derivative is the sigmoid; binary cross-entropy of logits is
 * made of it. The loops: ref_softplus and ref_softplus_backward in kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(softplus, in[0])
