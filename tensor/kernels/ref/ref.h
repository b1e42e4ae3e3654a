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

/* The largest of n numbers that are `stride` apart: -infinity for none, NaN where one of them is
 * NaN. */
static inline double maximum(const real *x, int64_t n, int64_t stride)
{
    double max = -INFINITY;
    for (int64_t j = 0; j < n; j++)
        if (x[j * stride] > max ||
            isnan(x[j * stride])) /* nothing is greater than a NaN: it stays */
            max = x[j * stride];
    return max;
}

#endif
