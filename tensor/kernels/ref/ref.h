/* ref.h: what the files of the reference kernels share (internal). */
#ifndef GRADUS_KERNELS_REF_H
#define GRADUS_KERNELS_REF_H

#include "tensor/kernels/kernels.h"

/* The kernels that have a file of their own are called ref_ENTRY, after their entry of the table, and have
 * that entry's type. */
#define REF_DECLARE(entry) __typeof__(*((Kernels *)0)->entry) ref_##entry;

/* clang-format off */
/* kernels/ref/elementwise.c */
#define REF_ELEMENTS(K)                                                                  \
    K(add) K(sub) K(mul) K(div) K(axpy) K(muladd) K(copy)                                \
    K(larger) K(smaller) K(larger_share)                                                 \
    K(finite) K(scale) K(exp) K(log) K(log_back) K(tanh) K(tanh_back) K(relu) K(relu_back)         \
    K(gelu) K(gelu_back) K(gelu_tanh) K(gelu_tanh_back) K(sigmoid) K(sigmoid_back)       \
    K(silu) K(silu_back) K(softplus) K(softplus_back) K(abs) K(abs_back)                 \
    K(sqrt) K(sqrt_back) K(pow) K(pow_back) K(clamp) K(clamp_back)

/* kernels/ref/reduce.c */
#define REF_REDUCE(K)                                                                    \
    K(sum) K(sum_back) K(squares) K(add_rows) K(variance) K(variance_back) K(max) K(max_back)                   \
    K(logsumexp) K(logsumexp_back) K(cumsum) K(cumsum_back)

/* kernels/ref/gather.c */
#define REF_PICK(K) K(gather) K(gather_back) K(select) K(select_back)

/* kernels/ref/losses.c */
#define REF_LOSSES(K)                                                                    \
    K(smooth) K(smooth_back) K(mse) K(mse_back) K(bce) K(bce_back)                       \
    K(gaussian_kl) K(gaussian_kl_back)

/* kernels/ref/im2col.c */
#define REF_CONV(K) K(patches) K(patches_back)
/* clang-format on */

REF_ELEMENTS(REF_DECLARE)
REF_REDUCE(REF_DECLARE)
REF_PICK(REF_DECLARE)
REF_LOSSES(REF_DECLARE)
REF_CONV(REF_DECLARE)

/* kernels/ref/attention.c */
void ref_masked_softmax(real *y, const real *x, const KernelMask *mask, int64_t matrices, int64_t T,
                        int64_t S);
void ref_attention(const Attention *a);
void ref_attention_back(const Attention *a, const AttentionGrad *g);
/* kernels/ref/quantized.c */
void ref_short_product(const ShortProduct *p);

#endif
