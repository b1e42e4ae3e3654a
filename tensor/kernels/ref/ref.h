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
    K(maximum) K(minimum) K(maximum_share)                                                 \
    K(finite) K(scale) K(exp) K(log) K(log_backward) K(tanh) K(tanh_backward) K(relu) K(relu_backward)         \
    K(gelu) K(gelu_backward) K(gelu_tanh) K(gelu_tanh_backward) K(sigmoid) K(sigmoid_backward)       \
    K(silu) K(silu_backward) K(softplus) K(softplus_backward) K(abs) K(abs_backward)                 \
    K(sqrt) K(sqrt_backward) K(pow) K(pow_backward) K(clamp) K(clamp_backward)

/* kernels/ref/reduce.c */
#define REF_REDUCE(K)                                                                    \
    K(sum) K(sum_backward) K(squares) K(add_rows) K(variance) K(variance_backward) K(max) K(max_backward)                   \
    K(logsumexp) K(logsumexp_backward) K(cumsum) K(cumsum_backward)

/* kernels/ref/gather.c */
#define REF_PICK(K) K(gather) K(gather_backward) K(select) K(select_backward)

/* kernels/ref/losses.c */
#define REF_LOSSES(K)                                                                    \
    K(smooth) K(smooth_backward) K(mse) K(mse_backward) K(bce) K(bce_backward)                       \
    K(gaussian_kl) K(gaussian_kl_backward)

/* kernels/ref/im2col.c */
#define REF_CONV(K) K(im2col) K(col2im)
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
void ref_attention_backward(const Attention *a, const AttentionGrad *g);
/* kernels/ref/quantised.c */
void ref_quantised_product(const QuantisedProduct *p);

#endif
