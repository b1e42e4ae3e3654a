/* kernels_ref.h: what the files of the reference kernels share (internal). */
#ifndef GRADUS_KERNELS_REF_H
#define GRADUS_KERNELS_REF_H

#include "tensor/kernels.h"

double ref_max(const real *x, int64_t n);
void ref_masked_softmax(real *y, const real *x, const KernelMask *mask, int64_t matrices, int64_t T,
                        int64_t S);
void ref_attention(const Attention *a);
void ref_attention_back(const Attention *a, const AttentionGrad *g);

/* The same for matrices begin..end-1 alone; the fast set shares them out to threads. */
void ref_attention_range(const Attention *a, int64_t begin, int64_t end);
void ref_attention_back_range(const Attention *a, const AttentionGrad *g, int64_t begin,
                              int64_t end);

#endif
