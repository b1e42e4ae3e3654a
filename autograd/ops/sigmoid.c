/* y = 1 / (1 + e^-x), the logistic function, element by element.
 *   dL/dx = dL/dy y (1 - y)
 * x: any shape -> y: the same, from 0 to 1. 1 - y is the sigmoid of -x. Use: the gates of
 * recurrent networks.
 * The loops: ref_sigmoid and ref_sigmoid_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(sigmoid, out)
