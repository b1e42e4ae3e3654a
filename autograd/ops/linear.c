/* A layer of weights.          B "Embedding Tokens: Key, Query and Value", J "Feedforward Network"
 *   y = x W^T + b
 *   dL/dx = g W,  dL/dW = g^T x,  dL/db = sum of g's rows,  g = dL/dy
 * x: (..., in), W: (out, in) as PyTorch stores it, b: (out) or absent -> y: (..., out). */
#include "autograd/ops/op.h"

static bool linear_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    if (w->shape.rank != 2 || x->shape.rank < 1 || shape_last(x->shape) != w->shape.dim[1])
        return tensor_fail("linear: x is %s, weight is %s; need x (..., in) and weight (out, in)",
                           tensor_describe(x), tensor_describe(w));
    if (b && !shape_equal(b->shape, shape1(w->shape.dim[0])))
        return tensor_fail("linear: bias is %s; weight %s needs %s", tensor_describe(b),
                           tensor_describe(w), shape_str(shape1(w->shape.dim[0])));
    *y = x->shape;
    y->dim[y->rank - 1] = w->shape.dim[0];
    return true;
}

static void linear_forward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    int64_t rows = shape_rows(x->shape), in = w->shape.dim[1], out = w->shape.dim[0];
    real *y = n->out->data;
    for (int64_t r = 0; b && r < rows; r++)
        kernels->copy(y + r * out, b->data, 1, out);
    kernels->gemm(&(Gemm){.m = rows,
                          .n = out,
                          .k = in,
                          .add = b != NULL,
                          .a = x->data,
                          .a_row = in,
                          .a_column = 1,
                          .b = w->data,
                          .b_row = 1,
                          .b_column = in,
                          .c = y,
                          .c_row = out,
                          .c_column = 1});
}

static void linear_backward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    int64_t rows = shape_rows(x->shape), in = w->shape.dim[1], out = w->shape.dim[0];
    const real *g = n->out->grad;
    if (x->grad)
        kernels->gemm(&(Gemm){.m = rows,
                              .n = in,
                              .k = out,
                              .add = true,
                              .a = g,
                              .a_row = out,
                              .a_column = 1,
                              .b = w->data,
                              .b_row = in,
                              .b_column = 1,
                              .c = x->grad,
                              .c_row = in,
                              .c_column = 1});
    if (w->grad)
        kernels->gemm(&(Gemm){.m = out,
                              .n = in,
                              .k = rows,
                              .add = true,
                              .a = g,
                              .a_row = 1,
                              .a_column = out,
                              .b = x->data,
                              .b_row = in,
                              .b_column = 1,
                              .c = w->grad,
                              .c_row = in,
                              .c_column = 1});
    if (b && b->grad)
        broadcast_add_grad(n->in[2], n->out, 1);
}

static Tensor *linear_call(Tensor **in, const double *arg)
{
    return ag_linear(in[0], in[1], arg[0] != 0 ? in[2] : NULL);
}

static const OpSample linear_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(5, 4), SHAPE(5)}, .inputs = 3, .arg = {1}},
    {.label = "no bias", .in = {SHAPE(3, 4), SHAPE(5, 4)}, .inputs = 2},
    {.label = "vector", .in = {SHAPE(4), SHAPE(2, 4), SHAPE(2)}, .inputs = 3, .arg = {1}},
    {.label = "batch", .in = {SHAPE(2, 3, 4), SHAPE(5, 4), SHAPE(5)}, .inputs = 3, .arg = {1}},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1, 1), SHAPE(1)}, .inputs = 3, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(0, 4), SHAPE(5, 4), SHAPE(5)}, .inputs = 3, .arg = {1}},
    {.label = "no inputs", .in = {SHAPE(2, 0), SHAPE(3, 0), SHAPE(3)}, .inputs = 3, .arg = {1}},
    {.label = "large", .in = {SHAPE(33, 20), SHAPE(35, 20), SHAPE(35)}, .inputs = 3, .arg = {1}},
    {.label = "width", .in = {SHAPE(3, 4), SHAPE(5, 3)}, .inputs = 2, .fails = "weight (out, in)"},
    {.label = "scalar", .in = {{0}, SHAPE(5, 1)}, .inputs = 2, .fails = "need x (..., in)"},
    {.label = "bias",
     .in = {SHAPE(3, 4), SHAPE(5, 4), SHAPE(4)},
     .inputs = 3,
     .arg = {1},
     .fails = "bias is (4,)"},
    {0},
};
static const OpTest linear_test = {
    .call = linear_call,
    .oracle = "torch.nn.functional.linear(a, b, c if n0 else None)",
    .samples = linear_samples,
};

const Op op_linear = {
    .name = "linear",
    .required = 2,
    .shape = linear_shape,
    .forward = linear_forward,
    .backward = linear_backward,
    .test = &linear_test,
};

Tensor *ag_linear(Tensor *x, Tensor *weight, Tensor *bias)
{
    return ag_apply(&op_linear, (Tensor *[]){x, weight, bias}, 3, NULL, 0);
}
