/* Binary cross-entropy of logits against probabilities: the reconstruction loss of a VAE on black
 * and white images.
 *   L = -1/n sum_i (t_i log s_i + (1 - t_i) log(1 - s_i)),   s_i = 1 / (1 + exp(-x_i))
 *     =  1/n sum_i (max(x_i, 0) - x_i t_i + log(1 + exp(-|x_i|))),  which overflows for no x
 *   dL/dx_i = (s_i - t_i) / n,  dL/dt_i = -x_i / n
 * logits x, targets t (from 0 to 1): one shape of n elements -> rank 0; NaN for n = 0, as in
 * PyTorch. Lecture: H "Training VAEs" (lectures/README.md). The loops: ref_bce and ref_bce_backward
 * in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

LOSS_OP(bce_with_logits, bce, logits, targets)
