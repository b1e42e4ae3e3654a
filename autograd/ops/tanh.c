/* y = (e^x - e^-x) / (e^x + e^-x), the hyperbolic tangent, element by element.
 *   dL/dx = dL/dy (1 - y^2)
 * x: any shape -> y: the same, from -1 to 1. Backward reads the result y. Use: the states of
 * recurrent networks.
 * The loops: ref_tanh and ref_tanh_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(tanh, out)
