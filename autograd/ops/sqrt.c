/* y = sqrt(x), element by element; NaN for x < 0.
 *   dL/dx = dL/dy / (2 y),  infinite at 0
 * x: any shape -> y: the same. Backward reads the result y.
 * The loops: ref_sqrt and ref_sqrt_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(sqrt, out)
