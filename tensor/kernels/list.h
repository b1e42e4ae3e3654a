/* list.h: every kernel (internal).
 *
 * The line KERNEL(name, Signature) stands for the entry `name` of the table Kernels, of a type that
 * kernels.h explains, and for its specification ref_name in kernels/ref. From this list are made
 * the table's members (kernels.h), the table of the reference (kernels/ref), and the poisoned
 * kernels of the lectures' claims. It has no include guard, for it is included once for each
 * meaning of KERNEL. The letters of the equations are those of the types. */

KERNEL(gemm, GemmKernel) /* a matrix product */

/* a op b. maximum is NaN where an operand is. */
KERNEL(add, BinaryKernel)
KERNEL(sub, BinaryKernel)
KERNEL(mul, BinaryKernel)
KERNEL(div, BinaryKernel)
KERNEL(maximum, BinaryKernel)
KERNEL(maximum_share, BinaryKernel) /* d max(a, b) / da: 0 where a < b, 1/2 where a = b, else 1 */
KERNEL(axpy, AxpyKernel)
KERNEL(muladd, MuladdKernel)
KERNEL(copy, CopyKernel)
KERNEL(finite, FiniteKernel)

KERNEL(scale, UnaryNumberKernel) /* s x */
KERNEL(exp, UnaryKernel)         /* e^x, whose derivative is the result itself: muladd adds it */
KERNEL(log, UnaryKernel)         /* the natural logarithm: NaN below 0, -infinity at 0 */
KERNEL(log_backward, UnaryBackward)
KERNEL(tanh, UnaryKernel) /* the hyperbolic tangent */
KERNEL(tanh_backward, UnaryBackward)
KERNEL(relu, UnaryKernel) /* max(x, 0), and NaN where x is; the derivative at 0 is 0 */
KERNEL(relu_backward, UnaryBackward)
/* x Phi(x), Phi the normal distribution function. Hendrycks and Gimpel (2016) */
KERNEL(gelu, UnaryKernel)
KERNEL(gelu_backward, UnaryBackward)
/* its approximation x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which GPT-2 uses */
KERNEL(gelu_tanh, UnaryKernel)
KERNEL(gelu_tanh_backward, UnaryBackward)
KERNEL(sigmoid, UnaryKernel) /* 1 / (1 + e^-x) */
KERNEL(sigmoid_backward, UnaryBackward)
KERNEL(silu, UnaryKernel) /* x sigmoid(x), also called swish */
KERNEL(silu_backward, UnaryBackward)
KERNEL(softplus, UnaryKernel) /* log(1 + e^x), which overflows for no x */
KERNEL(softplus_backward, UnaryBackward)
KERNEL(abs, UnaryKernel) /* |x|; the derivative at 0 is 0 */
KERNEL(abs_backward, UnaryBackward)
KERNEL(sqrt, UnaryKernel) /* NaN below 0; the derivative at 0 is infinite */
KERNEL(sqrt_backward, UnaryBackward)
KERNEL(pow, UnaryNumberKernel) /* x^s for one exponent s; x^0 is 1 and constant */
KERNEL(pow_backward, UnaryNumberBackward)

KERNEL(sum, SumKernel) /* alpha times the sum over n */
KERNEL(sum_backward, SumBackward)
KERNEL(squares, SquaresKernel)
KERNEL(add_rows, AddRowsKernel)
KERNEL(logsumexp, AxisKernel) /* log sum exp(x), which overflows for no x */
KERNEL(logsumexp_backward, AxisBackward)

KERNEL(softmax, RowsKernel)
KERNEL(softmax_backward, RowsBackward)
KERNEL(log_softmax, RowsKernel)
KERNEL(log_softmax_backward, RowsBackward)
KERNEL(masked_softmax, MaskedKernel)
KERNEL(layernorm, LayerNormKernel)
KERNEL(layernorm_backward, LayerNormBackward)

KERNEL(attention, AttentionKernel)
KERNEL(attention_backward, AttentionBackward)
KERNEL(embedding, EmbeddingKernel)
KERNEL(embedding_backward, EmbeddingBackward)

KERNEL(cross_entropy, CrossEntropyKernel)
KERNEL(cross_entropy_backward, CrossEntropyBackward)
KERNEL(smooth, SmoothKernel)
KERNEL(smooth_backward, SmoothBackward)
KERNEL(mse, PairLossKernel) /* the mean of (a_i - b_i)^2 */
KERNEL(mse_backward, PairLossBackward)
/* the mean of softplus(a_i) - a_i b_i, for logits a and targets b from 0 to 1 */
KERNEL(bce, PairLossKernel)
KERNEL(bce_backward, PairLossBackward)
/* the sum of (a_i^2 + exp(b_i) - 1 - b_i) / 2, for means a and logarithms b of variances */
KERNEL(gaussian_kl, PairLossKernel)
KERNEL(gaussian_kl_backward, PairLossBackward)

KERNEL(gather, GatherKernel)
KERNEL(gather_backward, GatherBackward)
KERNEL(select, SelectKernel)
KERNEL(select_backward, SelectBackward)

KERNEL(im2col, Im2colKernel)
KERNEL(col2im, Col2imKernel)
KERNEL(dropout, DropoutKernel)
KERNEL(dropout_backward, DropoutBackward)
KERNEL(sgd, SgdKernel)
KERNEL(adam, AdamKernel)
#undef KERNEL
