/* products.c: how sums of products are tried. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample matmul_samples[] = {
    {"plain", "3,4 4,2"},
    {"square", "4,4 4,4"},
    {"batch", "2,3,4 2,4,5"},
    {"batch of heads", "2,2,3,4 2,2,4,3"},
    {"one for all", "2,3,4 4,5"},
    {"broadcast both", "2,1,2,3 3,3,2"},
    {"size 1", "1,1 1,1"},
    {"size 0", "2,0 0,3"},
    {"no rows", "0,2 2,3"},
    {"large", "37,19 19,41"},
    {"inner", "2,4 2,16", {0}, "a is (2, 4), b is (2, 16); expected a (m, k) times b (k, n)"},
    {"rank", "4 4,2", {0}, "expected a (m, k)"},
    {"scalar", "() 4,2", {0}, "expected a (m, k)"},
    {"leading", "2,3,4 3,4,5", {0}, "leading"},
    {0},
};

CALL(linear, ag_linear(in[0], in[1], arg[0] != 0 ? in[2] : NULL))

static const OpSample linear_samples[] = {
    {"plain", "3,4 5,4 5", {1}},
    {"no bias", "3,4 5,4"},
    {"vector", "4 2,4 2", {1}},
    {"batch", "2,3,4 5,4 5", {1}},
    {"size 1", "1,1 1,1 1", {1}},
    {"size 0", "0,4 5,4 5", {1}},
    {"no inputs", "2,0 3,0 3", {1}},
    {"large", "33,20 35,20 35", {1}},
    {"width", "3,4 5,3", {0}, "weight (out, in)"},
    {"scalar", "() 5,1", {0}, "expected x (..., in)"},
    {"bias", "3,4 5,4 4", {1}, "bias is (4,)"},
    {0},
};

CALL(conv1d, ag_conv1d(in[0], in[1], in[2], (int)arg[0], (int)arg[1]))

static const OpSample conv1d_samples[] = {
    {"plain", "2,3,7 4,3,3 4", {1, 0}},
    {"no bias", "2,3,7 4,3,3", {1, 0}},
    {"padding", "2,2,5 3,2,3 3", {1, 2}},
    {"stride", "2,2,8 3,2,3 3", {2, 1}},
    {"leaves the end", "1,2,9 3,2,2", {4, 0}},
    {"one sequence", "2,6 3,2,2 3", {1, 0}},
    {"longer than the sequence", "2,2,2 3,2,4", {1, 1}},
    {"one place", "3,2,4 3,2,4", {1, 0}},
    {"size 1", "1,1,1 1,1,1 1", {1, 0}},
    {"size 0", "0,2,5 3,2,3 3", {1, 0}},
    {"channels",
     "2,3,7 4,2,3",
     {1, 0},
     "x is (2, 3, 7), weight is (4, 2, 3); expected x (..., in, length)"},
    {"weight", "3,7 4,3", {1, 0}, "(out, in, k)"},
    {"scalar", "() 4,1,3", {1, 0}, "x is ()"},
    {"vector", "7 4,7,3", {1, 0}, "x is (7,)"},
    {"bias", "2,3,7 4,3,3 3", {1, 0}, "bias is (3,), weight is (4, 3, 3); expected bias (4,)"},
    {"stride 0", "3,7 4,3,3", {0, 0}, "stride is 0"},
    {"negative padding", "3,7 4,3,3", {1, -1}, "padding -1"},
    {"too short",
     "3,2 4,3,5",
     {1, 1},
     "has 5 taps along an axis; expected 1 to 4 for x (3, 2) and a padding of 1"},
    {"no taps", "3,2 4,3,0", {1, 1}, "has 0 taps"},
    {0},
};

CALL(conv2d, ag_conv2d(in[0], in[1], in[2], (int)arg[0], (int)arg[1]))

static const OpSample conv2d_samples[] = {
    {"plain", "2,2,4,5 3,2,2,3 3", {1, 0}},
    {"no bias", "1,2,3,3 2,2,2,2", {1, 0}},
    {"padding", "1,2,3,4 2,2,3,2 2", {1, 1}},
    {"stride", "2,1,5,6 2,1,3,2 2", {2, 1}},
    {"patches", "2,3,4,6 5,3,2,2 5", {2, 0}},
    {"one image", "2,3,4 3,2,2,2 3", {1, 0}},
    {"one place", "2,2,3,2 2,2,3,2", {1, 0}},
    {"size 1", "1,1,1,1 1,1,1,1 1", {1, 0}},
    {"size 0", "0,2,3,3 3,2,2,2 3", {1, 0}},
    {"channels",
     "2,3,4,4 4,2,3,3",
     {1, 0},
     "expected x (..., in, height, width) and weight (out, in, kh, kw)"},
    {"weight", "3,4,4 4,3,3", {1, 0}, "weight is (4, 3, 3)"},
    {"scalar", "() 4,1,3,3", {1, 0}, "x is ()"},
    {"bias", "3,4,4 4,3,3,3 4,1", {1, 0}, "bias is (4, 1)"},
    {"negative stride", "3,4,4 4,3,3,3", {-1, 0}, "stride is -1"},
    {"too low", "3,2,9 4,3,3,3", {1, 0}, "expected 1 to 2"},
    {"too narrow", "3,9,2 4,3,3,5", {1, 1}, "expected 1 to 4"},
    {"too much padding", "3,2,2 1,3,1,1", {1, 0x7fffffff}, "fits into memory"},
    {0},
};

const OpTest products_tests[] = {
    {"matmul", "a @ b", matmul_samples, .two = ag_matmul},
    {"linear", "torch.nn.functional.linear(a, b, c if n0 else None)", linear_samples,
     .call = linear_call},
    {"conv1d", "torch.nn.functional.conv1d(a, b, c, n0, n1)", conv1d_samples, .call = conv1d_call},
    {"conv2d", "torch.nn.functional.conv2d(a, b, c, n0, n1)", conv2d_samples, .call = conv2d_call},
    {0},
};
