/* Cross-correlation with a kernel along a sequence.
 *   y[o, t] = b[o] + sum_c sum_j W[o, c, j] x[c, t s + j - p]   stride s, padding p: x is 0 outside
 *   dL/dx, dL/dW and dL/db: shared/conv.c
 * x: (..., in, L), W: (out, in, k), b: (out) or absent -> y: (..., out, (L + 2p - k) / s + 1). As
 * in PyTorch the kernel is not flipped, and channels come before the length: transpose (B, T, C)
 * first. Lectures: H, J "Complexity", the row Convolutional (lectures/README.md). The loops:
 * ref_im2col, ref_col2im in tensor/kernels/ref/im2col.c and ref_gemm, through shared/conv.c. */
#include "autograd/ops/shared/op.h"

CONV_OP(conv1d, 1)
