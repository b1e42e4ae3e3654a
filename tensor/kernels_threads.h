/* kernels_threads.h: the reference's rows, shared out to threads (internal).
 *
 * A row of a softmax or a LayerNorm, a matrix of an attention, has one owner; parallel_for hands them
 * out, and the loops are those of kernels_ref.c. A fast set starts from these and replaces what it
 * computes better. */
#ifndef GRADUS_KERNELS_THREADS_H
#define GRADUS_KERNELS_THREADS_H

#include "tensor/kernels.h"

void threads_exp(real *y, const real *x, int64_t n);
void threads_tanh(real *y, const real *x, int64_t n);
void threads_gelu(real *y, const real *x, int64_t n);
void threads_gelu_back(real *dx, const real *dy, const real *x, int64_t n);
void threads_softmax(real *y, const real *x, int64_t rows, int64_t n);
void threads_softmax_back(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
void threads_layernorm(real *y, real *stats, const real *x, const real *gain, const real *bias,
                       real epsilon, int64_t rows, int64_t n);
void threads_attention(const Attention *a);
void threads_attention_back(const Attention *a, const AttentionGrad *g);
void threads_cross_entropy(real *losses, real *lse, const real *x, const int32_t *target,
                           int32_t ignore, int64_t rows, int64_t n);
void threads_cross_entropy_back(real *dx, real alpha, const real *x, const real *lse,
                                const int32_t *target, int32_t ignore, int64_t rows, int64_t n);
void threads_adam(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n);

#endif
