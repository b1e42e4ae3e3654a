/* views.c: the same numbers under another shape.
 *
 * A view is its base with an offset and strides, for the numbers and the gradient alike. What is
 * added to a view's gradient is thereby added to its base's: a view needs no node and no gradient
 * rule.
 *
 * Element (i, j, ...) of a view v is base->data[offset + i stride_0 + j stride_1 + ...]. A view of
 * a view has the same base, so that a chain of views costs no more than one. Ids have no views:
 * they are inputs, and no op changes their shape. */
#include "autograd/tape.h"
#include "tensor/memory.h"

#include <string.h>

bool tape_has(Tensor *x, const char *function)
{
    if (!x)
        return tensor_fail("%s: x is NULL; expected a tensor", function);
    if (tape_has_failed(x->tape, function) || tensor_is_poison(x))
        return false;
    if (!x->tape)
        return tensor_fail("%s: x, %s, is on no tape; expected a tensor on one (tape_param puts a "
                           "weight there)",
                           function, tensor_describe(x));
    return tape_is_current(x, function);
}

/* Can a view of x be made? Otherwise x's tape, if it has one, fails. */
static bool viewable(Tensor *x, const char *function)
{
    if (tape_has(x, function) && x->ids)
        tape_error(x->tape, "%s: x, %s, holds whole numbers; expected real numbers", function,
                   tensor_describe(x));
    return !tensor_is_poison(x) && x->tape && !x->tape->failed;
}

/* The view of x that begins `offset` numbers after it, with these strides (NULL: row-major). */
static Tensor *view_of(Tensor *x, Shape shape, const int64_t *stride, int64_t offset)
{
    Tensor *v = tape_header(x->tape, shape);
    if (!v)
        return tape_fail(x->tape);
    if (stride)
        for (int i = 0; i < shape.rank; i++)
            v->stride[i] = stride[i];
    v->base = x->base ? x->base : x;
    v->offset = x->offset + offset;
    v->data = x->data + offset;
    v->needs_grad = x->needs_grad && !x->tape->no_grad;
    return v;
}

Tensor *ag_detach(Tensor *x)
{
    if (!viewable(x, "ag_detach"))
        return tensor_poison();
    Tensor *t = view_of(x, x->shape, x->stride, 0);
    if (!tensor_is_poison(t))
        t->needs_grad = false;
    return t;
}

Tensor *ag_grad(Tensor *x)
{
    if (!viewable(x, "ag_grad"))
        return tensor_poison();
    const Tensor *owner = x->base ? x->base : x;
    if (!owner->grad)
        return tape_error(
            x->tape,
            "ag_grad: %s has no gradient; expected one that backward has reached, and "
            "that is kept (ag_keep)",
            tensor_describe(x));
    Tensor *g = ag_detach(x);
    if (!tensor_is_poison(g)) {
        g->data = owner->grad + x->offset;
        g->base = NULL; /* which owns other numbers */
    }
    return g;
}

/* Fills in the one length that is -1. Where none fits it stays, and the comparison of sizes that
 * follows reports the shape. */
static bool infer_length(const Tensor *x, Shape *shape)
{
    int unknown = -1;
    int64_t known = 1;
    if (shape->rank < 0 || shape->rank > TENSOR_MAX_RANK)
        return shape_check(*shape, "ag_reshape");
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] == -1 && unknown >= 0)
            return tensor_fail("ag_reshape: the shape is %s; expected at most one length of -1",
                               shape_str(*shape));
        if (shape->dim[i] == -1)
            unknown = i;
        else if (shape->dim[i] < 0 || !tensor_checked_mul(known, shape->dim[i], &known))
            return tensor_fail(
                "ag_reshape: the shape is %s; expected lengths of 0 or more, or one of -1",
                shape_str(*shape));
    }
    if (unknown >= 0 && known > 0 && tensor_size(x) % known == 0)
        shape->dim[unknown] = tensor_size(x) / known;
    return true;
}

/* The strides with which x's numbers are a tensor of `shape`, if there are any. From the last axis
 * on, x's axes fall into runs that are row-major in themselves; each run must be filled by whole
 * new axes, which share its stride. For example x (3, 2, 4) with strides (4, 12, 1), a transposed
 * (2, 3, 4), is (3, 2, 2, 2) with strides (4, 12, 2, 1), because the last run of 4 is filled by 2
 * times 2; as (6, 4) it has no strides: its first two axes do not lie in one run. */
static bool reshape_strides(const Tensor *x, Shape shape, int64_t *stride)
{
    int i = x->shape.rank, j = shape.rank;
    while (i > 0) {
        int64_t step = x->stride[--i], run = x->shape.dim[i], filled = 1;
        while (i > 0 && (x->shape.dim[i - 1] == 1 || x->stride[i - 1] == run * step))
            run *= x->shape.dim[--i];
        while (j > 0 && (filled < run || shape.dim[j - 1] == 1)) {
            stride[--j] = filled * step;
            filled *= shape.dim[j];
        }
        if (filled != run)
            return false;
    }
    return true;
}

/* Contiguous numbers get row-major strides, others strides where such exist; the rest is copied. */
Tensor *ag_reshape(Tensor *x, Shape shape)
{
    if (!viewable(x, "ag_reshape"))
        return tensor_poison();
    Shape wanted = shape;
    if (!infer_length(x, &shape))
        return tape_fail(x->tape);
    if (shape_size(shape) != tensor_size(x))
        return tape_error(x->tape,
                          "ag_reshape: x is %s, the shape %s; expected a shape of %lld elements",
                          tensor_describe(x), shape_str(wanted), (long long)tensor_size(x));
    if (!shape_check(shape, "ag_reshape"))
        return tape_fail(x->tape);
    bool row_major = tensor_size(x) == 0 || tensor_is_contiguous(x);
    int64_t stride[TENSOR_MAX_RANK] = {0};
    if (!row_major && reshape_strides(x, shape, stride))
        return view_of(x, shape, stride, 0);
    x = row_major ? x : ag_copy(x);
    return tensor_is_poison(x) ? x : view_of(x, shape, NULL, 0);
}

Tensor *ag_permute(Tensor *x, const int *order)
{
    if (!viewable(x, "ag_permute"))
        return tensor_poison();
    if (!order && x->shape.rank > 0)
        return tape_error(x->tape, "ag_permute: order is NULL; expected %d axes", x->shape.rank);
    Shape shape = x->shape;
    int64_t stride[TENSOR_MAX_RANK];
    unsigned seen = 0;
    for (int i = 0; i < shape.rank; i++) {
        int axis = shape_axis(x->shape, order[i], "ag_permute");
        if (axis < 0)
            return tape_fail(x->tape);
        shape.dim[i] = x->shape.dim[axis];
        stride[i] = x->stride[axis];
        seen |= 1u << axis;
    }
    if (seen != (1u << shape.rank) - 1)
        return tape_error(
            x->tape, "ag_permute: x is %s and order names an axis twice; expected each axis once",
            tensor_describe(x));
    return view_of(x, shape, stride, 0);
}

Tensor *ag_transpose(Tensor *x, int axis1, int axis2)
{
    if (!viewable(x, "ag_transpose"))
        return tensor_poison();
    axis1 = shape_axis(x->shape, axis1, "ag_transpose");
    axis2 = axis1 < 0 ? -1 : shape_axis(x->shape, axis2, "ag_transpose");
    if (axis2 < 0)
        return tape_fail(x->tape);
    int order[TENSOR_MAX_RANK];
    for (int i = 0; i < x->shape.rank; i++)
        order[i] = i == axis1 ? axis2 : i == axis2 ? axis1 : i;
    return ag_permute(x, order);
}

/* Indices begin to end - 1 of one axis: the offset moves by begin strides, the strides stay. */
Tensor *ag_slice(Tensor *x, int axis, int64_t begin, int64_t end)
{
    if (!viewable(x, "ag_slice"))
        return tensor_poison();
    axis = shape_axis(x->shape, axis, "ag_slice");
    if (axis < 0)
        return tape_fail(x->tape);
    int64_t length = x->shape.dim[axis];
    int64_t from = begin < 0 ? begin + length : begin, to = end < 0 ? end + length : end;
    if (from < 0 || to > length || from > to)
        return tape_error(
            x->tape, "ag_slice: %lld to %lld of axis %d of %s; expected 0 <= begin <= end <= %lld",
            (long long)begin, (long long)end, axis, tensor_describe(x), (long long)length);
    Shape shape = x->shape;
    shape.dim[axis] = to - from;
    return view_of(x, shape, x->stride, from * x->stride[axis]);
}

bool ag_split(Tensor *x, int axis, Tensor **part, int n)
{
    const char *who = "ag_split";
    Tape *tape = tensor_is_poison(x) ? NULL : x->tape;
    if (!part || n < 1 || n > AG_OPERANDS_MAX) {
        tape_error(tape, "%s: %d parts and %s; expected 1 to %d, and an array for them", who, n,
                   part ? "an array" : "part is NULL", AG_OPERANDS_MAX);
        return false;
    }
    for (int k = 0; k < n; k++)
        part[k] = tensor_poison();
    axis = viewable(x, who) ? shape_axis(x->shape, axis, who) : -1;
    if (axis < 0) {
        tape_fail(tape);
        return false;
    }
    Shape shape = x->shape;
    int64_t length = shape.dim[axis] /= n;
    if (length * n != x->shape.dim[axis]) {
        tape_error(tape, "%s: axis %d of %s; expected a length that is divisible by %d", who, axis,
                   tensor_describe(x), n);
        return false;
    }
    for (int k = 0; k < n; k++)
        part[k] = view_of(x, shape, x->stride, k * length * x->stride[axis]);
    for (int k = 0; tape->failed && k < n; k++) /* memory was out for one of them */
        part[k] = tensor_poison();
    return !tape->failed;
}
