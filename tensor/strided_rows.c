/* strided_rows.c: from indices to offsets, which the caller adds to its arrays (strided_rows.h). */
#include "tensor/strided_rows.h"

#include "tensor/invariant.h"

#include <string.h>

/* The least and the greatest offset that the strides reach, in elements of the owner. */
bool strides_in_bounds(const Tensor *t)
{
    const Tensor *owner = t->base ? t->base : t;
    int64_t first = t->base ? t->offset : 0, last = first;
    for (int i = 0; i < t->shape.rank; i++) {
        int64_t reach = (t->shape.dim[i] - 1) * t->stride[i];
        first += reach < 0 ? reach : 0;
        last += reach > 0 ? reach : 0;
    }
    return shape_size(t->shape) == 0 || (first >= 0 && last < shape_size(owner->shape));
}

/* Axes are aligned at the last. With stride 0 a broadcast axis has the same element throughout. */
void broadcast_strides(const Tensor *t, Shape shape, int64_t stride[TENSOR_MAX_RANK])
{
    int missing = shape.rank - t->shape.rank;
    for (int i = 0; i < shape.rank; i++) {
        int own = i - missing;
        stride[i] = own < 0 || t->shape.dim[own] == 1 ? 0 : t->stride[own];
    }
}

StridedRows strided_indices(Shape shape, int count, const int64_t *const *stride)
{
    StridedRows w = {.arrays = count, .length = 1, .done = shape_size(shape) == 0};
    w.outer_rank = shape.rank;
    for (int i = 0; i < shape.rank; i++) {
        w.dim[i] = shape.dim[i];
        for (int k = 0; k < count; k++)
            w.stride[k][i] = stride[k][i];
    }
    return w;
}

/* Does every array move from one index of axis i to the next as it moves from one row to the next?
 * Then one longer row visits the same elements in the same order. */
static bool axis_extends_row(const StridedRows *w, int i)
{
    for (int k = 0; k < w->arrays; k++)
        if (w->stride[k][i] != w->inner[k] * w->length)
            return false;
    return true;
}

/* The innermost axis is the row; axes around it are merged as long as every array permits. An axis
 * of length 1 moves no array and is left out, so that a row is merged across it. */
StridedRows strided_rows(Shape shape, int count, const Tensor *const *t)
{
    StridedRows w = {.arrays = count, .length = 1, .done = shape_size(shape) == 0};
    for (int k = 0; k < count; k++) {
        int64_t stride[TENSOR_MAX_RANK];
        GRADUS_INVARIANT(strides_in_bounds(t[k]));
        broadcast_strides(t[k], shape, stride);
        w.outer_rank = 0;
        for (int i = 0; i < shape.rank; i++)
            if (shape.dim[i] != 1) {
                w.dim[w.outer_rank] = shape.dim[i];
                w.stride[k][w.outer_rank++] = stride[i];
            }
    }
    if (w.outer_rank == 0)
        return w;
    int last = --w.outer_rank;
    w.length = w.dim[last];
    for (int k = 0; k < count; k++)
        w.inner[k] = w.stride[k][last];
    while (w.outer_rank > 0 && axis_extends_row(&w, w.outer_rank - 1))
        w.length *= w.dim[--w.outer_rank];
    return w;
}

/* Counts the index up as an odometer does: an axis that is full returns to 0 and carries. */
void strided_rows_next(StridedRows *w)
{
    for (int i = w->outer_rank - 1; i >= 0; i--) {
        bool carry = ++w->index[i] == w->dim[i];
        for (int k = 0; k < w->arrays; k++)
            w->offset[k] += carry ? -(w->dim[i] - 1) * w->stride[k][i] : w->stride[k][i];
        if (!carry)
            return;
        w->index[i] = 0;
    }
    w->done = true;
}

/* The digits of `row` in the mixed radix of the axes are its index. */
void strided_rows_seek(StridedRows *w, int64_t row)
{
    GRADUS_INVARIANT(row >= 0 && row < strided_rows_count(w));
    memset(w->offset, 0, sizeof w->offset);
    for (int i = w->outer_rank - 1; i >= 0; i--) {
        w->index[i] = row % w->dim[i];
        row /= w->dim[i];
        for (int k = 0; k < w->arrays; k++)
            w->offset[k] += w->index[i] * w->stride[k][i];
    }
}

int64_t strided_rows_count(const StridedRows *w)
{
    int64_t rows = !w->done;
    for (int i = 0; i < w->outer_rank; i++)
        rows *= w->dim[i];
    return rows;
}

/* The first element has the offset 0 from t's data, or from its ids. */
StridedElements strided_elements(const Tensor *t)
{
    return (StridedElements){.rows = strided_rows(t->shape, 1, &t)};
}
