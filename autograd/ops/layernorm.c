/* LayerNorm over the last axis.
 *   z_i = (x_i - mean x) r,  r = 1 / sqrt(variance x + epsilon),  y_i = z_i gain_i + bias_i
 *   dL/dgain_i = sum over rows of g_i z_i,  dL/dbias_i = sum over rows of g_i
 *   dL/dx_i = r (u_i - mean u - z_i mean(u z)),  u_i = g_i gain_i,  g = dL/dy
 * x: (..., C), gain and bias: (C) -> y: (..., C). The variance divides by C, not C - 1. Mean and r
 * of each row are kept for backward. Source: Ba, Kiros, Hinton 2016. Lectures: V "Residual
 * Connection & Layer Normalization", J "Recall: Layer Normalization" (lectures/README.md). A shift
 * of a row does not change y, nor, but for epsilon, does a scale: so the mean of dL/dx is 0, and
 * that of z dL/dx nearly 0. The loops: ref_layernorm and ref_layernorm_backward in
 * tensor/kernels/ref/layernorm.c. */
#include "autograd/ops/shared/op.h"

static bool layernorm_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *gain = n->in[1], *bias = n->in[2];
    const real *epsilon = n->attrs;
    *y = n->in[0]->shape;
    if (x->shape.rank < 1 || !shape_equal(gain->shape, shape1(shape_last(x->shape))) ||
        !shape_equal(bias->shape, gain->shape))
        return op_fail(n, "x is %s, gain %s, bias %s; expected x (..., C), gain (C), bias (C)",
                       tensor_describe(x), tensor_describe(gain), tensor_describe(bias));
    return *epsilon >= 0 || op_fail(n, "epsilon is %g; expected 0 or more", (double)*epsilon);
}

/* (rows, 2): mean and r of each row. */
static int64_t layernorm_saved(const Node *n)
{
    return 2 * shape_rows(n->in[0]->shape);
}

static void layernorm_forward(Node *n)
{
    const Tensor *x = n->in[0];
    const real *epsilon = n->attrs;
    kernels->layernorm(n->out->data, n->saved, x->data, n->in[1]->data, n->in[2]->data, *epsilon,
                       shape_rows(x->shape), shape_last(x->shape));
}

static void layernorm_backward(Node *n)
{
    const Tensor *x = n->in[0], *gain = n->in[1], *bias = n->in[2];
    kernels->layernorm_backward(x->grad, gain->grad, bias->grad, n->out->grad, x->data, n->saved,
                                gain->data, shape_rows(x->shape), shape_last(x->shape));
}

const Op op_layernorm = {.name = "layernorm",
                         .shape = layernorm_shape,
                         .saved = layernorm_saved,
                         .forward = layernorm_forward,
                         .backward = layernorm_backward};

Tensor *ag_layernorm(Tensor *x, Tensor *gain, Tensor *bias, double epsilon)
{
    const real e = (real)epsilon;
    return op_apply(&op_layernorm, (Tensor *[]){x, gain, bias}, 3, &e, sizeof e);
}
