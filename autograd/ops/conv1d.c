/* A kernel sliding along a sequence.                 H "Complexity", J "Complexity": the Convolutional row
 *   y[o, t] = b[o] + sum_c sum_j W[o, c, j] x[c, t s + j - p]      stride s, padding p: x is 0 outside
 *   dL/dx, dL/dW and dL/db: see conv.c
 * x: (..., in, L), W: (out, in, k), b: (out) or absent -> y: (..., out, (L + 2p - k) / s + 1). As in
 * PyTorch the kernel is not turned round, and channels stand before the length: transpose (B, T, C). */
#include "autograd/ops/conv.h"

static bool conv1d_shape(const Node *n, Shape *y)
{
    return conv_shape(n, y, 1);
}

static Tensor *conv1d_call(Tensor **in, const double *arg)
{
    return ag_conv1d(in[0], in[1], in[2], (int)arg[0], (int)arg[1]);
}

static const OpSample conv1d_samples[] = {
    {.label = "plain",
     .in = {SHAPE(2, 3, 7), SHAPE(4, 3, 3), SHAPE(4)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "no bias", .in = {SHAPE(2, 3, 7), SHAPE(4, 3, 3)}, .inputs = 2, .arg = {1, 0}},
    {.label = "padding",
     .in = {SHAPE(2, 2, 5), SHAPE(3, 2, 3), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 2}},
    {.label = "stride",
     .in = {SHAPE(2, 2, 8), SHAPE(3, 2, 3), SHAPE(3)},
     .inputs = 3,
     .arg = {2, 1}},
    {.label = "leaves the end", .in = {SHAPE(1, 2, 9), SHAPE(3, 2, 2)}, .inputs = 2, .arg = {4, 0}},
    {.label = "one sequence",
     .in = {SHAPE(2, 6), SHAPE(3, 2, 2), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "longer than the sequence",
     .in = {SHAPE(2, 2, 2), SHAPE(3, 2, 4)},
     .inputs = 2,
     .arg = {1, 1}},
    {.label = "one place", .in = {SHAPE(3, 2, 4), SHAPE(3, 2, 4)}, .inputs = 2, .arg = {1, 0}},
    {.label = "size 1",
     .in = {SHAPE(1, 1, 1), SHAPE(1, 1, 1), SHAPE(1)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "size 0",
     .in = {SHAPE(0, 2, 5), SHAPE(3, 2, 3), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0}},
    {.label = "channels",
     .in = {SHAPE(2, 3, 7), SHAPE(4, 2, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "x is (2, 3, 7), weight is (4, 2, 3); need x (..., in, length)"},
    {.label = "weight",
     .in = {SHAPE(3, 7), SHAPE(4, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "(out, in, k)"},
    {.label = "scalar",
     .in = {{0}, SHAPE(4, 1, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "x is ()"},
    {.label = "vector",
     .in = {SHAPE(7), SHAPE(4, 7, 3)},
     .inputs = 2,
     .arg = {1, 0},
     .fails = "x is (7,)"},
    {.label = "bias",
     .in = {SHAPE(2, 3, 7), SHAPE(4, 3, 3), SHAPE(3)},
     .inputs = 3,
     .arg = {1, 0},
     .fails = "bias is (3,); weight (4, 3, 3) needs (4,)"},
    {.label = "stride 0",
     .in = {SHAPE(3, 7), SHAPE(4, 3, 3)},
     .inputs = 2,
     .arg = {0, 0},
     .fails = "stride is 0"},
    {.label = "negative padding",
     .in = {SHAPE(3, 7), SHAPE(4, 3, 3)},
     .inputs = 2,
     .arg = {1, -1},
     .fails = "padding -1"},
    {.label = "too short",
     .in = {SHAPE(3, 2), SHAPE(4, 3, 5)},
     .inputs = 2,
     .arg = {1, 1},
     .fails = "has 5 taps; x (3, 2) and a padding of 1 have room for 1 to 4"},
    {.label = "no taps",
     .in = {SHAPE(3, 2), SHAPE(4, 3, 0)},
     .inputs = 2,
     .arg = {1, 1},
     .fails = "has 0 taps"},
    {0},
};
static const OpTest conv1d_test = {
    .call = conv1d_call,
    .oracle = "torch.nn.functional.conv1d(a, b, c, n0, n1)",
    .samples = conv1d_samples,
};

const Op op_conv1d = {
    .name = "conv1d",
    .required = 2,
    .shape = conv1d_shape,
    .saved = conv_saved,
    .forward = conv_forward,
    .backward = conv_backward,
    .test = &conv1d_test,
};

Tensor *ag_conv1d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding)
{
    ConvAttrs attrs = {stride, padding};
    return ag_apply(&op_conv1d, (Tensor *[]){x, weight, bias}, 3, &attrs, sizeof attrs);
}
