/* strided_rows.h: the one iteration over strided arrays (internal).
 *
 * Element (i, j, ...) of an array with strides (s, t, ...) has the offset i s + j t + ... from its
 * first element. Views permute or repeat strides, and broadcasting gives an axis the stride 0. All
 * code that goes through such an array does so here: up to three arrays together, in the row-major
 * order of one shape, a row at a time:
 *
 *    for (StridedRows w = strided_rows(shape, 2, (const Tensor *[]){y, x}); !w.done; strided_rows_next(&w))
 *        for (int64_t i = 0; i < w.length; i++)
 *            y->data[w.offset[0] + i * w.inner[0]] = x->data[w.offset[1] + i * w.inner[1]];
 *
 * Invariants: offset[k] is the sum of index[i] * stride[k][i] over the outer axes; 0 <= index[i] <
 * dim[i] until done; the rows come in row-major order, so that element i of row r is number r *
 * length + i of the shape.
 *
 * A row is as long as possible: neighbouring axes through which every array moves evenly are
 * merged, so that contiguous arrays are a single row. kernels/strided.h applies a kernel to each
 * row. */
#ifndef GRADUS_TENSOR_STRIDED_ROWS_H
#define GRADUS_TENSOR_STRIDED_ROWS_H

#include "tensor/tensor.h"

enum { STRIDED_ARRAYS_MAX = 3 };

/* Strides and offsets count elements. dim, stride, index: the outer axes, outermost first. */
typedef struct {
    int arrays;
    int64_t length;                     /* elements in a row                      */
    int64_t inner[STRIDED_ARRAYS_MAX];  /* each array's stride along the row      */
    int64_t offset[STRIDED_ARRAYS_MAX]; /* where each array's present row begins  */
    int outer_rank;
    int64_t dim[TENSOR_MAX_RANK];
    int64_t stride[STRIDED_ARRAYS_MAX][TENSOR_MAX_RANK];
    int64_t index[TENSOR_MAX_RANK]; /* of the present row */
    bool done;                      /* after the last row; at once for a shape without elements */
} StridedRows;

/* The rows of `shape` through tensors that broadcast to it. Offsets are from a tensor's data. */
StridedRows strided_rows(Shape shape, int count, const Tensor *const *t);

/* The same without merging: every index of `shape` is a row of length 1, and `index` is that index.
 * The strides of each array along the axes of shape are given. */
StridedRows strided_indices(Shape shape, int count, const int64_t *const *stride);

void strided_rows_next(StridedRows *w);

/* Moves to a row, counted from 0 in row-major order; it must exist. */
void strided_rows_seek(StridedRows *w, int64_t row);

/* The number of rows. */
int64_t strided_rows_count(const StridedRows *w);

/* The strides of t seen as `shape`, to which it broadcasts: 0 along an axis of length 1. */
void broadcast_strides(const Tensor *t, Shape shape, int64_t stride[TENSOR_MAX_RANK]);

/* One tensor in row-major order: element i is data[e.at] after i calls of next. */
typedef struct {
    StridedRows rows;
    int64_t column;
    int64_t at;
} StridedElements;

StridedElements strided_elements(const Tensor *t);

static inline void strided_elements_next(StridedElements *e)
{
    e->at += e->rows.inner[0];
    if (++e->column < e->rows.length)
        return;
    strided_rows_next(&e->rows);
    e->column = 0;
    e->at = e->rows.offset[0];
}

/* An invariant: does every element of t lie within the memory of its owner, itself or its base? */
bool strides_in_bounds(const Tensor *t);

#endif
