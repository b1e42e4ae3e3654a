/* y = log x, the natural logarithm, element by element; -infinity at 0, NaN for x < 0.
 *   dL/dx = dL/dy / x
 * x: any shape -> y: the same. For the logarithm of a probability, log_softmax.c does not lose
 * what softmax rounds to 0.
 * The loops: ref_log and ref_log_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

UNARY_OP(log, in[0])
