/* strided_rows.c: see walk.h. */
#include "tensor/strided_rows.h"

/* Can axis i be merged with the axis inside it, for every array? */
static bool axes_merge(const StridedRows *w, int i, int64_t inner_dim)
{
    for (int k = 0; k < w->arrays; k++)
        if (w->stride[k][i] != w->inner[k] * inner_dim)
            return false;
    return true;
}

StridedRows strided_rows(Shape shape, int count, const Tensor *const *t)
{
    int64_t strides[STRIDED_ARRAYS_MAX][TENSOR_MAX_RANK];
    StridedRows w = {.arrays = count, .length = 1, .done = shape_size(shape) == 0};
    for (int k = 0; k < count; k++)
        broadcast_strides(t[k], shape, strides[k]);

    /* Axes of length 1 say nothing; leave them out. */
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dim[i] == 1)
            continue;
        w.dim[w.outer_rank] = shape.dim[i];
        for (int k = 0; k < count; k++)
            w.stride[k][w.outer_rank] = strides[k][i];
        w.outer_rank++;
    }
    if (w.outer_rank == 0)
        return w;

    int last = --w.outer_rank;
    w.length = w.dim[last];
    for (int k = 0; k < count; k++)
        w.inner[k] = w.stride[k][last];
    while (w.outer_rank > 0 && axes_merge(&w, w.outer_rank - 1, w.length))
        w.length *= w.dim[--w.outer_rank];
    return w;
}

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

void broadcast_strides(const Tensor *t, Shape shape, int64_t stride[TENSOR_MAX_RANK])
{
    int missing = shape.rank - t->shape.rank;
    for (int i = 0; i < shape.rank; i++) {
        int own = i - missing;
        stride[i] = own < 0 || t->shape.dim[own] == 1 ? 0 : t->stride[own];
    }
}
