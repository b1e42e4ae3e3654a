/* strided_rows.h: stepping through strided arrays of one shape together (internal).
 *
 * Broadcasting and views come down to the same thing: for each index of a shape, where does each of up
 * to three arrays have its element? A broadcast axis has stride 0. Neighbouring axes that every array
 * runs through evenly are merged, so that two contiguous arrays are one long row. */
#ifndef GRADUS_WALK_H
#define GRADUS_WALK_H

#include "tensor/tensor.h"

enum { STRIDED_ARRAYS_MAX = 3 };

typedef struct {
    int arrays;
    int64_t length;                     /* of a row, the innermost axis   */
    int64_t inner[STRIDED_ARRAYS_MAX];  /* each array's stride along it   */
    int64_t offset[STRIDED_ARRAYS_MAX]; /* where each array's row begins  */
    int outer_rank;                     /* the axes around the row        */
    int64_t dim[TENSOR_MAX_RANK];
    int64_t stride[STRIDED_ARRAYS_MAX][TENSOR_MAX_RANK];
    int64_t index[TENSOR_MAX_RANK];
    bool done;
} StridedRows;

/* A walk over `shape` through tensors that broadcast to it; offsets are from their first elements.
 * for (StridedRows w = strided_rows(...); !w.done; strided_rows_next(&w)) one row of w.length elements */
StridedRows strided_rows(Shape shape, int count, const Tensor *const *t);
void strided_rows_next(StridedRows *w);

/* The strides of tensor t seen as `shape`, to which it broadcasts: 0 where its axis is 1 or missing. */
void broadcast_strides(const Tensor *t, Shape shape, int64_t stride[TENSOR_MAX_RANK]);

#endif
