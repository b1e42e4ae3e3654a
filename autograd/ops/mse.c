/* The mean squared error.
 *   L = 1/n sum_i (y_i - t_i)^2
 *   dL/dy_i = 2 (y_i - t_i) / n = -dL/dt_i
 * y, t: one shape of n elements -> rank 0; NaN for n = 0, as in PyTorch. Unlike in PyTorch nothing
 * broadcasts: (n) against (n, 1) would compare each element with all others. The loops: ref_mse and
 * ref_mse_backward in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

LOSS_OP(mse, mse, y, target)
