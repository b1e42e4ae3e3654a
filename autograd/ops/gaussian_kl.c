/* The Kullback-Leibler divergence of a normal distribution with independent coordinates from the
 * standard one.
 *   L = KL(N(m, e^v) || N(0, 1)) = -1/2 sum_i (1 + v_i - m_i^2 - exp(v_i))
 *   dL/dm_i = m_i,  dL/dv_i = (exp(v_i) - 1) / 2
 * mean m, logarithm of the variance v: one shape -> rank 0, the sum over all elements. For the mean
 * over a batch of B sequences, scale by 1 / B. Source: Kingma and Welling 2014, appendix B.
 * Lecture: H "Training VAEs" (lectures/README.md). The loops: ref_gaussian_kl and
 * ref_gaussian_kl_backward in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

LOSS_OP(gaussian_kl, gaussian_kl, mean, log_variance)
