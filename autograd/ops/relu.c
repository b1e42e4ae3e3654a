/* y = max(x, 0), element by element.
 *   dL/dx = dL/dy where x > 0, else 0
 * Lecture: J "Feedforward Network" (lectures/README.md).
 * x: any shape -> y: the same. At 0 the derivative is taken as 0.
 * The loops: ref_relu and ref_relu_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(relu, in[0])
