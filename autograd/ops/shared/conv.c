/* conv.c: a convolution as a matrix product, image by image.
 *
 *   Y (out, p) = W (out, in k) X (in k, p) + b      column p of X is the p-th patch of the image
 *   dX = W^T G,  dW = G X^T,  db_o = sum_p G_op,    G = dL/dY
 *
 * Backward computes X again: kept for the whole batch it would take k times the batch's memory. */
#include "autograd/ops/shared/matrix.h"

bool conv_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    const ConvAttrs *attrs = n->attrs;
    int sides = attrs->sides, channel_axis = x->shape.rank - sides - 1;
    if (w->shape.rank != sides + 2 || channel_axis < 0 ||
        w->shape.dim[1] != x->shape.dim[channel_axis])
        return op_fail(n,
                       "x is %s, weight is %s; expected x (..., in, %s) and weight (out, in, %s)",
                       tensor_describe(x), tensor_describe(w),
                       sides == 1 ? "length" : "height, width", sides == 1 ? "k" : "kh, kw");
    if (b && !shape_equal(b->shape, shape1(w->shape.dim[0])))
        return op_fail(n, "bias is %s, weight is %s; expected bias %s", tensor_describe(b),
                       tensor_describe(w), shape_str(shape1(w->shape.dim[0])));
    if (attrs->stride < 1 || attrs->padding < 0)
        return op_fail(
            n, "stride is %d, padding %d; expected a stride of 1 or more, a padding of 0 or more",
            attrs->stride, attrs->padding);
    y->dim[channel_axis] = w->shape.dim[0];
    int64_t padding = 2 * (int64_t)attrs->padding;
    for (int i = 0; i < sides; i++) {
        int64_t length = x->shape.dim[channel_axis + 1 + i], taps = w->shape.dim[2 + i];
        if (taps < 1 || length > INT64_MAX - padding || taps > length + padding)
            return op_fail(n,
                           "weight %s has %lld taps along an axis; expected 1 to %lld for x %s and "
                           "a padding of %d",
                           tensor_describe(w), (long long)taps, (long long)(length + padding),
                           tensor_describe(x), attrs->padding);
        y->dim[channel_axis + 1 + i] = (length + padding - taps) / attrs->stride + 1;
    }
    return true;
}

/* The sizes of one call: `count` images of `image` numbers each. */
typedef struct {
    int64_t count, image, out, taps, positions; /* of the kernel over an image */
    Im2col patches;
} Conv;

/* A sequence is an image of height 1: the missing side has one tap, stride 1, no padding. */
static Conv conv_of(const Node *n)
{
    const ConvAttrs *attrs = n->attrs;
    Shape x = n->in[0]->shape, w = n->in[1]->shape, y = n->out->shape;
    int sides = attrs->sides, first = x.rank - sides; /* the first side's axis */
    Conv c = {.count = 1, .out = w.dim[0]};
    Im2col *p = &c.patches;
    *p = (Im2col){w.dim[1], {1, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 1}};
    for (int i = 0; i < sides; i++) {
        int side = 2 - sides + i;
        p->size[side] = x.dim[first + i];
        p->taps[side] = w.dim[2 + i];
        p->stride[side] = attrs->stride;
        p->padding[side] = attrs->padding;
        p->out[side] = y.dim[first + i];
    }
    for (int i = 0; i < first - 1; i++)
        c.count *= x.dim[i];
    c.image = p->channels * p->size[0] * p->size[1];
    c.taps = p->channels * p->taps[0] * p->taps[1];
    c.positions = p->out[0] * p->out[1];
    return c;
}

/* A number that does not fit becomes one for which no allocation succeeds. */
int64_t conv_saved(const Node *n)
{
    Conv c = conv_of(n);
    int64_t numbers;
    return tensor_checked_mul(c.taps, c.positions, &numbers) ? numbers : INT64_MAX;
}

void conv_forward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1], *b = n->in[2];
    Conv c = conv_of(n);
    Matrix W = matrix(w->data, c.out, c.taps), X = matrix(n->saved, c.taps, c.positions);
    real *y = n->out->data;
    for (int64_t i = 0; i < c.count; i++, y += c.out * c.positions) {
        kernels->im2col(X.at, x->data + i * c.image, &c.patches);
        for (int64_t o = 0; b && o < c.out; o++)
            kernels->copy(y + o * c.positions, b->data + o, 0, c.positions);
        multiply(n->out->tape, matrix(y, c.out, c.positions), W, X, b != NULL);
    }
}

/* dW += G X^T and db += the sum of each row of G, for one image x.
 * Images add up in dW one after the other, in order. */
static void weight_backward(const Node *n, const Conv *c, const real *x, Matrix G)
{
    const Tensor *w = n->in[1], *b = n->in[2];
    for (int64_t o = 0; b && b->grad && o < c->out; o++)
        kernels->muladd(b->grad + o, 0, 1, G.at + o * c->positions, 1, &(real){1}, 0, c->positions);
    if (!w->grad)
        return;
    Matrix X = matrix(n->saved, c->taps, c->positions);
    kernels->im2col(X.at, x, &c->patches);
    multiply(n->out->tape, matrix(w->grad, c->out, c->taps), G, transposed(X), true);
}

/* X, in n->saved, holds an image's patches for dW, and then the gradients of the patches. */
void conv_backward(Node *n)
{
    const Tensor *x = n->in[0], *w = n->in[1];
    Conv c = conv_of(n);
    Matrix W = matrix(w->data, c.out, c.taps), X = matrix(n->saved, c.taps, c.positions);
    for (int64_t i = 0; i < c.count; i++) {
        Matrix G = matrix(n->out->grad + i * c.out * c.positions, c.out, c.positions);
        weight_backward(n, &c, x->data + i * c.image, G);
        if (!x->grad)
            continue;
        multiply(n->out->tape, X, transposed(W), G, false); /* the gradients of the patches */
        kernels->col2im(x->grad + i * c.image, X.at, &c.patches);
    }
}
