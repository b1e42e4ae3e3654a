/* A tensor with a frame of one value around it.
 *   y[before_i + ...] = x[...], elsewhere the value,  dL/dx is the inner part of dL/dy
 * x -> y, longer along axis i by before_i + after_i (all >= 0). */
#include "autograd/ops/op.h"

#include <string.h>

typedef struct {
    int64_t before[TENSOR_MAX_RANK], after[TENSOR_MAX_RANK];
    real value;
} PadAttrs;

static bool pad_shape(const Node *n, Shape *y)
{
    const PadAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    for (int i = 0; i < y->rank; i++) {
        int64_t before = attrs->before[i], after = attrs->after[i], room = INT64_MAX - y->dim[i];
        if (before < 0 || after < 0 || before > room || after > room - before)
            return tensor_fail("pad: %lld before and %lld after axis %d of %s; need 0 or more, and "
                               "a length below 2^63",
                               (long long)before, (long long)after, i, tensor_describe(n->in[0]));
        y->dim[i] += before + after;
    }
    return true;
}

/* x's part of the result, as a tensor that shares its numbers and gradient. */
static Tensor pad_inner(const Node *n)
{
    const PadAttrs *attrs = n->attrs;
    Tensor inner = *n->out;
    int64_t offset = 0;
    for (int i = 0; i < inner.shape.rank; i++)
        offset += attrs->before[i] * inner.stride[i];
    inner.shape = n->in[0]->shape;
    inner.data += offset;
    inner.grad = inner.grad ? inner.grad + offset : NULL;
    return inner;
}

static void pad_forward(Node *n)
{
    const PadAttrs *attrs = n->attrs;
    Tensor inner = pad_inner(n);
    kernels->copy(n->out->data, &attrs->value, 0, tensor_size(n->out));
    broadcast_copy(&inner, n->in[0]);
}

static void pad_backward(Node *n)
{
    Tensor inner = pad_inner(n);
    broadcast_add_grad(n->in[0], &inner, 1);
}

const Op op_pad = {
    .name = "pad",
    .required = 1,
    .flags = OP_STRIDED,
    .shape = pad_shape,
    .forward = pad_forward,
    .backward = pad_backward,
};

Tensor *ag_pad(Tensor *x, const int64_t *before, const int64_t *after, real value)
{
    PadAttrs attrs = {.value = value};
    size_t bytes = x ? (size_t)x->shape.rank * sizeof *before : 0;
    if (before)
        memcpy(attrs.before, before, bytes);
    if (after)
        memcpy(attrs.after, after, bytes);
    return ag_apply(&op_pad, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
