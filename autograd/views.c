/* views.c: the same numbers under another shape.
 *
 * A view is its base with an offset and strides, for the value and the gradient alike: what is added to
 * a view's gradient is added to its base's, so a view needs no rule for the way back. */
#include "autograd/tape.h"

/* Can x be looked at? Otherwise fails its tape, if it has one. */
static bool viewable(Tensor *x, const char *who)
{
    if (!x)
        return tensor_fail("%s: there is no tensor: NULL", who);
    if (tensor_is_poison(x) || (x->tape && x->tape->failed))
        return false;
    if (!x->tape)
        tensor_fail("%s: %s is on no tape; begin with tape_param(tape, x)", who,
                    tensor_describe(x));
    else if (x->ids)
        tensor_fail("%s: %s holds whole numbers; views are of real ones", who, tensor_describe(x));
    else if (tape_fresh(x, who))
        return true;
    tape_fail(x->tape);
    return false;
}

/* A view of x with another shape and these strides (NULL: row-major); shares numbers and gradient. */
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

Tensor *tape_param(Tape *tape, Tensor *weight)
{
    if (!tape || !weight)
        tensor_fail("tape_param: the %s is NULL", tape ? "weight" : "tape");
    if (!tape || tensor_is_poison(weight) || tape->failed)
        return tape_fail(tape);
    if (weight->tape == tape && tape_fresh(weight, "tape_param"))
        return weight;
    if (weight->tape || weight->ids)
        return tape_error(tape, "tape_param: %s is %s; expected a weight", tensor_describe(weight),
                          weight->ids ? "a tensor of ids"
                                      : "on another tape or of an earlier step");
    Tensor *t = tape_header(tape, weight->shape);
    if (!t)
        return tape_fail(tape);
    t->base = weight;
    t->data = weight->data;
    t->needs_grad = weight->needs_grad && !tape->no_grad;
    tensor_set_name(t, "%s", weight->name);
    return t;
}

Tensor *ag_detach(Tensor *x)
{
    if (!viewable(x, "detach"))
        return tensor_poison();
    Tensor *t = view_of(x, x->shape, x->stride, 0);
    if (!tensor_is_poison(t))
        t->needs_grad = false;
    return t;
}

/* Fills in the one length that is -1. */
static bool infer_length(const Tensor *x, Shape *shape)
{
    int unknown = -1;
    int64_t known = 1;
    if (shape->rank < 0 || shape->rank > TENSOR_MAX_RANK)
        return shape_check(*shape, "reshape");
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] == -1 && unknown >= 0)
            return tensor_fail("reshape: only one length may be -1, got %s", shape_str(*shape));
        if (shape->dim[i] == -1)
            unknown = i;
        else if (shape->dim[i] < 0 || !tensor_checked_mul(known, shape->dim[i], &known))
            return tensor_fail("reshape: %s is no shape", shape_str(*shape));
    }
    if (unknown >= 0 && known > 0 && tensor_size(x) % known == 0)
        shape->dim[unknown] = tensor_size(x) / known;
    return true;
}

/* The strides that show x as `shape`, if there are any. From the last axis on, x falls into runs of axes
 * that stand row-major; whole new axes must fill each run, and share its stride. */
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

Tensor *ag_reshape(Tensor *x, Shape shape)
{
    if (!viewable(x, "reshape"))
        return tensor_poison();
    Shape wanted = shape;
    if (!infer_length(x, &shape))
        return tape_fail(x->tape);
    if (shape_size(shape) != tensor_size(x))
        return tape_error(x->tape, "reshape: %s has %lld elements, which do not fill %s",
                          tensor_describe(x), (long long)tensor_size(x), shape_str(wanted));
    if (!shape_check(shape, "reshape"))
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
    if (!viewable(x, "permute"))
        return tensor_poison();
    Shape shape = x->shape;
    int64_t stride[TENSOR_MAX_RANK];
    unsigned seen = 0;
    for (int i = 0; i < shape.rank; i++) {
        int axis = shape_axis(x->shape, order[i], "permute");
        if (axis < 0)
            return tape_fail(x->tape);
        shape.dim[i] = x->shape.dim[axis];
        stride[i] = x->stride[axis];
        seen |= 1u << axis;
    }
    if (seen != (1u << shape.rank) - 1)
        return tape_error(x->tape, "permute: of %s, each axis must be named once",
                          tensor_describe(x));
    return view_of(x, shape, stride, 0);
}

Tensor *ag_transpose(Tensor *x, int axis1, int axis2)
{
    if (!viewable(x, "transpose"))
        return tensor_poison();
    axis1 = shape_axis(x->shape, axis1, "transpose");
    axis2 = axis1 < 0 ? -1 : shape_axis(x->shape, axis2, "transpose");
    if (axis2 < 0)
        return tape_fail(x->tape);
    int order[TENSOR_MAX_RANK];
    for (int i = 0; i < x->shape.rank; i++)
        order[i] = i == axis1 ? axis2 : i == axis2 ? axis1 : i;
    return ag_permute(x, order);
}

Tensor *ag_slice(Tensor *x, int axis, int64_t begin, int64_t end)
{
    if (!viewable(x, "slice"))
        return tensor_poison();
    axis = shape_axis(x->shape, axis, "slice");
    if (axis < 0)
        return tape_fail(x->tape);
    int64_t length = x->shape.dim[axis];
    int64_t from = begin < 0 ? begin + length : begin, to = end < 0 ? end + length : end;
    if (from < 0 || to > length || from > to)
        return tape_error(x->tape,
                          "slice: %lld to %lld of axis %d of %s; need 0 <= begin <= end <= %lld",
                          (long long)begin, (long long)end, axis, tensor_describe(x),
                          (long long)length);
    Shape shape = x->shape;
    shape.dim[axis] = to - from;
    return view_of(x, shape, x->stride, from * x->stride[axis]);
}

/* Do the n parts fit the axis? */
static bool lengths_fit(const Tensor *x, int axis, const int64_t *length, int n)
{
    int64_t all = x->shape.dim[axis], left = all;
    for (int k = 0; length && k < n; k++) {
        if (length[k] < 0 || length[k] > left)
            return tensor_fail("split: part %d of axis %d of %s is %lld long; there are %lld left",
                               k + 1, axis, tensor_describe(x), (long long)length[k],
                               (long long)left);
        left -= length[k];
    }
    if (length && left > 0)
        return tensor_fail("split: the %d parts of axis %d of %s leave %lld of %lld over", n, axis,
                           tensor_describe(x), (long long)left, (long long)all);
    return length || all % n == 0 ||
           tensor_fail("split: axis %d of %s is %lld long, which has no %d equal parts", axis,
                       tensor_describe(x), (long long)all, n);
}

static bool split(Tensor *x, int axis, const int64_t *length, bool equal, int n, Tensor **part)
{
    for (int k = 0; part && k < n; k++)
        part[k] = tensor_poison();
    if (!viewable(x, "split"))
        return false;
    if (n < 1 || !part || (!equal && !length))
        tape_error(x->tape, "split: %s into %d parts%s%s; need 1 or more", tensor_describe(x), n,
                   part ? "" : ", kept at NULL", equal || length ? "" : ", of lengths at NULL");
    axis = x->tape->failed ? -1 : shape_axis(x->shape, axis, "split");
    if (axis < 0 || !lengths_fit(x, axis, length, n)) {
        tape_fail(x->tape);
        return false;
    }
    int64_t begin = 0;
    for (int k = 0; k < n; k++) {
        Shape shape = x->shape;
        shape.dim[axis] = length ? length[k] : shape.dim[axis] / n;
        part[k] = view_of(x, shape, x->stride, begin * x->stride[axis]);
        begin += shape.dim[axis];
    }
    for (int k = 0; x->tape->failed && k < n; k++) /* memory was out on the way */
        part[k] = tensor_poison();
    return !x->tape->failed;
}

bool ag_split(Tensor *x, int axis, const int64_t *length, int n, Tensor **part)
{
    return split(x, axis, length, false, n, part);
}

bool ag_split_equal(Tensor *x, int axis, int n, Tensor **part)
{
    return split(x, axis, NULL, true, n, part);
}
