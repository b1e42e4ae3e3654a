/* x with elements of one value before and after it along each axis.
 *   y[before_i + ...] = x[...], elsewhere the value,  dL/dx is the inner part of dL/dy
 * x -> y, longer along axis i by before_i + after_i (each 0 or more).
 * Errors: a negative length; a result of 2^63 elements or more along an axis.
 * The loops: ref_copy and ref_muladd in kernels/ref/elementwise.c, through shared/parts.c. */
#include "autograd/ops/shared/op.h"

#include <string.h>

typedef struct {
    int64_t before[TENSOR_MAX_RANK], after[TENSOR_MAX_RANK];
    double value;
} PadAttrs;

static bool pad_shape(const Node *n, Shape *y)
{
    const PadAttrs *attrs = n->attrs;
    for (int i = 0; i < y->rank; i++) {
        int64_t before = attrs->before[i], after = attrs->after[i], left = INT64_MAX - y->dim[i];
        if (before < 0 || after < 0 || before > left || after > left - before)
            return op_fail(n,
                           "%lld before and %lld after axis %d of %s; expected 0 or more, and a "
                           "length below 2^63",
                           (long long)before, (long long)after, i, tensor_describe(n->in[0]));
        y->dim[i] += before + after;
    }
    return true;
}

/* x's part of y begins `before` elements in along every axis. */
static Tensor pad_part(const Node *n, int k)
{
    const PadAttrs *attrs = n->attrs;
    int64_t offset = 0;
    for (int i = 0; i < n->out->shape.rank; i++)
        offset += attrs->before[i] * n->out->stride[i];
    return part_at(n, k, offset);
}

/* The value fills all of y first; x then overwrites its part. */
static void pad_forward(Node *n)
{
    const PadAttrs *attrs = n->attrs;
    real value = (real)attrs->value;
    kernels->copy(n->out->data, &value, 0, tensor_size(n->out));
    parts_forward(n, pad_part);
}

static void pad_backward(Node *n)
{
    parts_backward(n, pad_part);
}

const Op op_pad = {.name = "pad",
                   .strided = true,
                   .shape = pad_shape,
                   .forward = pad_forward,
                   .backward = pad_backward};

Tensor *ag_pad(Tensor *x, const int64_t *before, const int64_t *after, double value)
{
    PadAttrs attrs = {.value = (real)value};
    size_t bytes = x ? (size_t)x->shape.rank * sizeof *before : 0;
    if (before)
        memcpy(attrs.before, before, bytes);
    if (after)
        memcpy(attrs.after, after, bytes);
    return op_apply(&op_pad, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
