/* A kernel sliding over an image. With a stride as long as the kernel, each patch is seen once: the patch
 * embedding of a vision transformer.        J "Transformer Encoder for Image Classification"
 *   y[o, u, v] = b[o] + sum_c sum_i sum_j W[o, c, i, j] x[c, u s + i - p, v s + j - p]
 *   dL/dx, dL/dW and dL/db: see conv.c
 * stride s, padding p (x is 0 outside), the same along both sides.
 * x: (..., in, H, W), weight: (out, in, kh, kw), b: (out) or absent ->
 * y: (..., out, (H + 2p - kh) / s + 1, (W + 2p - kw) / s + 1). */
#include "autograd/ops/conv.h"

static bool conv2d_shape(const Node *n, Shape *y)
{
    return conv_shape(n, y, 2);
}

static Tensor *conv2d_call(Tensor **in, const double *arg)
{
    return ag_conv2d(in[0], in[1], in[2], (int)arg[0], (int)arg[1]);
}

static const OpSample conv2d_samples[] = {
    {.label = "plain",
     .in = {SHAPE(2, 2, 4, 5), SHAPE(3, 2, 2, 3), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "no bias", .in = {SHAPE(1, 2, 3, 3), SHAPE(2, 2, 2, 2)}, .inputs = 2, .arg = {1, 0}},
    {.label = "padding",
     .in = {SHAPE(1, 2, 3, 4), SHAPE(2, 2, 3, 2), SHAPE(2)},
     .inputs = 3,
     .arg = {1, 1}},
    {.label = "stride",
     .in = {SHAPE(2, 1, 5, 6), SHAPE(2, 1, 3, 2), SHAPE(2)},
     .inputs = 3,
     .arg = {2, 1}},
    {.label = "patches",
     .in = {SHAPE(2, 3, 4, 6), SHAPE(5, 3, 2, 2), SHAPE(5)},
     .inputs = 3,
     .arg = {2, 0}},
    {.label = "one image",
     .in = {SHAPE(2, 3, 4), SHAPE(3, 2, 2, 2), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "one place",
     .in = {SHAPE(2, 2, 3, 2), SHAPE(2, 2, 3, 2)},
     .inputs = 2,
     .arg = {1, 0}},
    {.label = "size 1",
     .in = {SHAPE(1, 1, 1, 1), SHAPE(1, 1, 1, 1), SHAPE(1)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "size 0",
     .in = {SHAPE(0, 2, 3, 3), SHAPE(3, 2, 2, 2), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "channels",
     .in = {SHAPE(2, 3, 4, 4), SHAPE(4, 2, 3, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "need x (..., in, height, width) and weight (out, in, kh, kw)"},
    {.label = "weight",
     .in = {SHAPE(3, 4, 4), SHAPE(4, 3, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "weight is (4, 3, 3)"},
    {.label = "scalar",
     .in = {{0}, SHAPE(4, 1, 3, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "x is ()"},
    {.label = "bias",
     .in = {SHAPE(3, 4, 4), SHAPE(4, 3, 3, 3), SHAPE(4, 1)},
     .inputs = 3,
     .arg = {1, 0},
     .fails = "bias is (4, 1)"},
    {.label = "negative stride",
     .in = {SHAPE(3, 4, 4), SHAPE(4, 3, 3, 3)},
     .inputs = 2,
     .arg = {-1, 0},
     .fails = "stride is -1"},
    {.label = "too low",
     .in = {SHAPE(3, 2, 9), SHAPE(4, 3, 3, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "room for 1 to 2"},
    {.label = "too narrow",
     .in = {SHAPE(3, 9, 2), SHAPE(4, 3, 3, 5)},
     .inputs = 2,
     .arg = {1, 1},
     .fails = "room for 1 to 4"},
    {.label = "too much padding",
     .in = {SHAPE(3, 2, 2), SHAPE(1, 3, 1, 1)},
     .inputs = 2,
     .arg = {1, 0x7fffffff},
     .fails = "2^63"},
    {0},
};
static const OpTest conv2d_test = {
    .call = conv2d_call,
    .oracle = "torch.nn.functional.conv2d(a, b, c, n0, n1)",
    .samples = conv2d_samples,
};

const Op op_conv2d = {
    .name = "conv2d",
    .required = 2,
    .shape = conv2d_shape,
    .saved = conv_saved,
    .forward = conv_forward,
    .backward = conv_backward,
    .test = &conv2d_test,
};

Tensor *ag_conv2d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding)
{
    ConvAttrs attrs = {stride, padding};
    return ag_apply(&op_conv2d, (Tensor *[]){x, weight, bias}, 3, &attrs, sizeof attrs);
}
