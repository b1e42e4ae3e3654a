/* list.h: every kernel (internal).
 *
 * The line KERNEL(name, Signature) stands for the entry `name` of the table Kernels, of a type that
 * kernels.h explains, and for its specification ref_name in kernels/ref. FAST_KERNEL is a kernel
 * that kernels/simd has, too. From this list are made the table's members (kernels.h), the tables
 * of all sets (kernels/ref, kernels/simd), and the poisoned kernels of the lectures' claims. It has
 * no include guard, for it is included once for each meaning of KERNEL. The letters of the
 * equations are those of the types. */
#ifndef FAST_KERNEL
#define FAST_KERNEL KERNEL
#endif

FAST_KERNEL(gemm, GemmKernel) /* a matrix product */

/* a op b. maximum is NaN where an operand is. */
FAST_KERNEL(add, BinaryKernel)
FAST_KERNEL(sub, BinaryKernel)
FAST_KERNEL(mul, BinaryKernel)
FAST_KERNEL(div, BinaryKernel)
KERNEL(maximum, BinaryKernel)
KERNEL(maximum_share, BinaryKernel) /* d max(a, b) / da: 0 where a < b, 1/2 where a = b, else 1 */
FAST_KERNEL(muladd, MuladdKernel)
FAST_KERNEL(copy, CopyKernel)

FAST_KERNEL(exp, UnaryKernel) /* e^x, whose derivative is the result itself: muladd adds it */
FAST_KERNEL(log, UnaryKernel) /* the natural logarithm: NaN below 0, -infinity at 0 */
FAST_KERNEL(log_backward, UnaryBackward)
FAST_KERNEL(tanh, UnaryKernel) /* the hyperbolic tangent */
FAST_KERNEL(tanh_backward, UnaryBackward)
FAST_KERNEL(relu, UnaryKernel) /* max(x, 0), and NaN where x is; the derivative at 0 is 0 */
FAST_KERNEL(relu_backward, UnaryBackward)
/* x Phi(x), Phi the normal distribution function. Hendrycks and Gimpel (2016) */
FAST_KERNEL(gelu, UnaryKernel)
FAST_KERNEL(gelu_backward, UnaryBackward)
/* its approximation x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which GPT-2 uses */
FAST_KERNEL(gelu_tanh, UnaryKernel)
FAST_KERNEL(gelu_tanh_backward, UnaryBackward)
FAST_KERNEL(sigmoid, UnaryKernel) /* 1 / (1 + e^-x) */
FAST_KERNEL(sigmoid_backward, UnaryBackward)
FAST_KERNEL(silu, UnaryKernel) /* x sigmoid(x), also called swish */
FAST_KERNEL(silu_backward, UnaryBackward)
FAST_KERNEL(softplus, UnaryKernel) /* log(1 + e^x), which overflows for no x */
FAST_KERNEL(softplus_backward, UnaryBackward)
KERNEL(sqrt, UnaryKernel) /* NaN below 0; the derivative at 0 is infinite */
FAST_KERNEL(sqrt_backward, UnaryBackward)
KERNEL(pow, UnaryNumberKernel) /* x^s for one exponent s; x^0 is 1 and constant */
KERNEL(pow_backward, UnaryNumberBackward)

FAST_KERNEL(sum, SumKernel) /* alpha times the sum over n */
FAST_KERNEL(sum_backward, SumBackward)
FAST_KERNEL(squares, SquaresKernel)
FAST_KERNEL(add_rows, AddRowsKernel)
KERNEL(logsumexp, AxisKernel) /* log sum exp(x), which overflows for no x */
KERNEL(logsumexp_backward, AxisBackward)

FAST_KERNEL(softmax, RowsKernel)
FAST_KERNEL(softmax_backward, RowsBackward)
FAST_KERNEL(log_softmax, RowsKernel)
FAST_KERNEL(log_softmax_backward, RowsBackward)
KERNEL(masked_softmax, MaskedKernel)
FAST_KERNEL(layernorm, LayerNormKernel)
FAST_KERNEL(layernorm_backward, LayerNormBackward)

FAST_KERNEL(attention, AttentionKernel)
FAST_KERNEL(attention_backward, AttentionBackward)
KERNEL(embedding, EmbeddingKernel)
FAST_KERNEL(embedding_backward, EmbeddingBackward)

FAST_KERNEL(cross_entropy, CrossEntropyKernel)
FAST_KERNEL(cross_entropy_backward, CrossEntropyBackward)
KERNEL(smooth, SmoothKernel)
KERNEL(smooth_backward, SmoothBackward)
FAST_KERNEL(mse, PairLossKernel) /* the mean of (a_i - b_i)^2 */
FAST_KERNEL(mse_backward, PairLossBackward)
/* the mean of softplus(a_i) - a_i b_i, for logits a and targets b from 0 to 1 */
FAST_KERNEL(bce, PairLossKernel)
FAST_KERNEL(bce_backward, PairLossBackward)
/* the sum of (a_i^2 + exp(b_i) - 1 - b_i) / 2, for means a and logarithms b of variances */
KERNEL(gaussian_kl, PairLossKernel)
KERNEL(gaussian_kl_backward, PairLossBackward)

KERNEL(gather, GatherKernel)
KERNEL(gather_backward, GatherBackward)
KERNEL(select, SelectKernel)
KERNEL(select_backward, SelectBackward)

FAST_KERNEL(im2col, Im2colKernel)
FAST_KERNEL(col2im, Col2imKernel)
FAST_KERNEL(dropout, DropoutKernel)
FAST_KERNEL(dropout_backward, DropoutBackward)
KERNEL(sgd, SgdKernel)
FAST_KERNEL(adam, AdamKernel)
#undef KERNEL
#undef FAST_KERNEL
