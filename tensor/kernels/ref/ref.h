/* ref.h: the reference kernels (internal).
 *
 * They are the specification of every kernel: one loop for each equation, one pass after the other,
 * sums in double, one thread. A lecture prints them, a debugger steps through them, and every
 * faster set is tested against them.
 *
 *   table.c        kernels_ref, the table with all of them
 *   gemm.c         the matrix product
 *   elementwise.c  one or two operands, element by element
 *   reduce.c       sums and log-sum-exp along an axis
 *   softmax.c      softmax and log-softmax along rows, with and without a mask
 *   layernorm.c    layer normalisation            attention.c    scaled dot-product attention
 *   embedding.c    rows of a table by their ids   gather.c       elements by their ids, or by a mask
 *   losses.c       cross-entropy, mean squared error, binary cross-entropy, Kullback-Leibler divergence
 *   im2col.c       convolution as a product       dropout.c      which elements are dropped
 *   optimisers.c   SGD and Adam */
#ifndef GRADUS_KERNELS_REF_H
#define GRADUS_KERNELS_REF_H

#include "tensor/kernels/kernels.h"

#include <math.h>

/* Declares ref_ENTRY with the type that kernels.h gives the entry of that name in the table. */
#define REF(entry) __typeof__(*((Kernels *)0)->entry) ref_##entry

/* clang-format off */
/* gemm.c */
REF(gemm);

/* elementwise.c */
REF(add); REF(sub); REF(mul); REF(div); REF(maximum); REF(maximum_share);
REF(axpy); REF(muladd); REF(copy); REF(finite); REF(scale);
REF(exp); REF(log); REF(log_backward); REF(tanh); REF(tanh_backward); REF(relu); REF(relu_backward);
REF(gelu); REF(gelu_backward); REF(gelu_tanh); REF(gelu_tanh_backward);
REF(sigmoid); REF(sigmoid_backward); REF(silu); REF(silu_backward);
REF(softplus); REF(softplus_backward);
REF(abs); REF(abs_backward); REF(sqrt); REF(sqrt_backward); REF(pow); REF(pow_backward);

/* reduce.c */
REF(sum); REF(sum_backward); REF(squares); REF(add_rows);
REF(logsumexp); REF(logsumexp_backward);

/* softmax.c, layernorm.c, attention.c */
REF(softmax); REF(softmax_backward); REF(log_softmax);
REF(log_softmax_backward); REF(masked_softmax);
REF(layernorm); REF(layernorm_backward); REF(attention); REF(attention_backward);

/* embedding.c, gather.c */
REF(embedding); REF(embedding_backward);
REF(gather); REF(gather_backward); REF(select); REF(select_backward);

/* losses.c */
REF(cross_entropy); REF(cross_entropy_backward); REF(smooth); REF(smooth_backward);
REF(mse); REF(mse_backward); REF(bce); REF(bce_backward);
REF(gaussian_kl); REF(gaussian_kl_backward);

/* im2col.c, dropout.c, optimisers.c */
REF(im2col); REF(col2im); REF(dropout); REF(dropout_backward); REF(sgd); REF(adam);
/* clang-format on */

/* The largest of n numbers, -infinity for none, and NaN where one of them is NaN. */
static inline double row_maximum(const real *x, int64_t n)
{
    double max = -INFINITY;
    for (int64_t j = 0; j < n; j++)
        if (x[j] > max || isnan(x[j])) /* nothing compares greater than a NaN, so it stays */
            max = x[j];
    return max;
}

#endif
