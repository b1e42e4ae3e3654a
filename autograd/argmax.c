/* argmax.c: where the largest element along an axis stands, and its value.
 *   ids[i, k] = the first j with x[i, j, k] = max_j x[i, j, k]      here along axis 1 of 3
 *   y[i, k] = x[i, ids[i, k], k];   dL/dx[i, ids[i, k], k] = dL/dy[i, k],  0 elsewhere
 * A NaN counts as the largest. The ids are constants; the value is a gather, whose backward gives
 * the gradient to one element, as PyTorch's max along an axis does. */
#include "autograd/ops/shared/op.h"

#include "tensor/strided_rows.h"
#include "tensor/memory.h"

#include <math.h>

/* Of n numbers; a NaN ends the search. */
static int32_t first_largest(const real *x, int64_t n, int64_t stride)
{
    int64_t best = 0;
    for (int64_t j = 1; j < n && !isnan(x[best * stride]); j++)
        if (!(x[j * stride] <= x[best * stride]))
            best = j;
    return (int32_t)best;
}

/* Is there something to compare? The axis becomes a number from 0. */
static bool comparable(const Tensor *x, int *axis, const char *function)
{
    if (x->ids)
        return tensor_fail("%s: x %s holds whole numbers; expected real numbers", function,
                           tensor_describe(x));
    *axis = shape_axis(x->shape, *axis, function);
    return *axis >= 0 && (x->shape.dim[*axis] >= 1 ||
                          tensor_fail("%s: x is %s; expected 1 or more elements along axis %d",
                                      function, tensor_describe(x), *axis));
}

/* The ids with the axis kept, of length 1. NULL after an error, which begins with `function`. */
static Tensor *largest(Tensor *x, int *axis, const char *function)
{
    static const Op any = {0};
    Tape *tape = operands_tape(function, &any, &x, 1);
    Tensor *ids = NULL;
    if (tape && comparable(x, axis, function)) {
        Shape shape = reduced(x->shape, *axis, true);
        ids = tape_header(tape, shape);
        if (ids)
            ids->ids = tape_memory(tape, (size_t)shape_size(shape) * sizeof *ids->ids);
    }
    if (!ids || !ids->ids) {
        tape_fail(tape);
        return NULL;
    }
    Tensor first = *x; /* a view of the elements with index 0 along the axis */
    first.shape = ids->shape;
    first.base = x->base ? x->base : x;
    StridedElements e = strided_elements(&first);
    for (int64_t i = 0; i < tensor_size(ids); i++, strided_elements_next(&e))
        ids->ids[i] = first_largest(x->data + e.at, x->shape.dim[*axis], x->stride[*axis]);
    return ids;
}

Tensor *ag_argmax(Tensor *x, int axis, bool keepdim)
{
    Tensor *ids = largest(x, &axis, "ag_argmax");
    if (!ids)
        return tensor_poison();
    tensor_set_contiguous(ids, reduced(ids->shape, axis, keepdim));
    return ids;
}

Tensor *ag_max_axis(Tensor *x, int axis, bool keepdim)
{
    Tensor *ids = largest(x, &axis, "ag_max_axis");
    if (!ids)
        return tensor_poison();
    return ag_reshape(ag_gather(x, axis, ids), reduced(ids->shape, axis, keepdim));
}
