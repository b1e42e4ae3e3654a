/* Cross-correlation with a kernel over an image. With a stride as long as the kernel each patch is
 * read once: the patch embedding of a vision transformer.
 *   y[o, u, v] = b[o] + sum_c sum_i sum_j W[o, c, i, j] x[c, u s + i - p, v s + j - p]
 *   dL/dx, dL/dW and dL/db: shared/conv.c
 * stride s, padding p (x is 0 outside), the same along both sides.
 * x: (..., in, H, W), weight: (out, in, kh, kw), b: (out) or absent ->
 * y: (..., out, (H + 2p - kh) / s + 1, (W + 2p - kw) / s + 1).
 * Lecture: J "Transformer Encoder for Image Classification" (lectures/README.md).
 * The loops: ref_im2col, ref_col2im in kernels/ref/im2col.c and ref_gemm, through shared/conv.c. */
#include "autograd/ops/shared/op.h"

CONV_OP(conv2d, 2)
