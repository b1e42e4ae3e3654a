/* y = |x|, element by element.
 *   dL/dx = dL/dy sign(x),  0 at x = 0
 * x: any shape -> y: the same. At 0 every number from -1 to 1 is a subgradient; 0 is PyTorch's
 * choice, too. The loops: ref_abs and ref_abs_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(abs, in[0])
