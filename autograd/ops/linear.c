/* A linear layer.
 *   y = x W^T + b
 *   dL/dx = g W,  dL/dW = g^T x,  dL/db = sum of g's rows,  g = dL/dy
 * x: (..., in), W: (out, in) as PyTorch stores it, b: (out) or absent -> y: (..., out).
 * Lectures: B "Embedding Tokens: Key, Query and Value", J "Feedforward Network"
 * (lectures/README.md). Error: x and W, or W and b, whose lengths do not match. The loop: ref_gemm
 * in tensor/kernels/ref/gemm.c, through shared/matrix.h. */
#include "autograd/ops/shared/matrix.h"

/* The last axis of x is replaced by W's first. */
static bool linear_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    if (w->shape.rank != 2 || x->shape.rank < 1 || shape_last(x->shape) != w->shape.dim[1])
        return op_fail(n, "x is %s, weight is %s; expected x (..., in) and weight (out, in)",
                       tensor_describe(x), tensor_describe(w));
    if (b && !shape_equal(b->shape, shape1(w->shape.dim[0])))
        return op_fail(n, "bias is %s, weight is %s; expected bias %s", tensor_describe(b),
                       tensor_describe(w), shape_str(shape1(w->shape.dim[0])));
    y->dim[y->rank - 1] = w->shape.dim[0];
    return true;
}

/* W, or its gradient, with W's strides: a weight may be stored as its transpose. */
static Matrix weight_matrix(const Tensor *w, real *at)
{
    return (Matrix){at, w->shape.dim[0], w->shape.dim[1], w->stride[0], w->stride[1]};
}

/* All rows of x in one product. */
static void linear_forward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2], *y = n->out;
    multiply_biased(y->tape, rows_of(y, y->data), rows_of(x, x->data),
                    transposed(weight_matrix(w, w->data)), false, b ? b->data : NULL);
}

/* Three products, each only where a gradient is wanted. All rows add up in dW and db. */
static void linear_backward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    Matrix G = rows_of(n->out, n->out->grad);
    if (x->grad)
        gradient_product(n, 0, rows_of(x, x->grad), G, weight_matrix(w, w->data));
    if (w->grad)
        gradient_product(n, 1, weight_matrix(w, w->grad), transposed(G), rows_of(x, x->data));
    if (b && b->grad)
        broadcast_add_grad(n->in[2], n->out, 1);
}

const Op op_linear = {.name = "linear",
                      .optional = 1 << 2,
                      .strided = true,
                      .shape = linear_shape,
                      .forward = linear_forward,
                      .backward = linear_backward,
                      .inside = &(const struct OpInside){.writes = 1 << 0, .scratch = true}};

/* W is taken with its strides: a pretrained model whose file stores W^T runs from the file's pages
 * (nn_pretrained_load). */
Tensor *ag_linear(Tensor *x, Tensor *weight, Tensor *bias)
{
    Tensor *in[] = {contiguous(x), weight, contiguous(bias)};
    return op_apply(&op_linear, in, 3, NULL, 0);
}
