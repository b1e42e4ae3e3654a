/* Cross-correlation with a kernel along a sequence.
 *   y[o, t] = b[o] + sum_c sum_j W[o, c, j] x[c, t s + j - p]   stride s, padding p: x is 0 outside
 *   dL/dx, dL/dW and dL/db: shared/conv.c
 * x: (..., in, L), W: (out, in, k), b: (out) or absent -> y: (..., out, (L + 2p - k) / s + 1). As
 * in PyTorch the kernel is not flipped, and channels come before the length: transpose (B, T, C)
 * first. Lectures: H, J "Complexity", the row Convolutional (lectures/README.md). The loops:
 * ref_im2col, ref_col2im in tensor/kernels/ref/im2col.c and ref_gemm, through shared/conv.c. */
#include "autograd/ops/shared/op.h"

const Op op_conv1d = {.name = "conv1d",
                      .optional = 1 << 2,
                      .shape = conv_shape,
                      .saved = conv_saved,
                      .forward = conv_forward,
                      .backward = conv_backward,
                      .inside = &(const struct OpInside){.scratch = true}};

Tensor *ag_conv1d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding)
{
    ConvAttrs attrs = {1, stride, padding};
    return op_apply(&op_conv1d, (Tensor *[]){x, weight, bias}, 3, &attrs, sizeof attrs);
}
