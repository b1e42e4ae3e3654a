/* strided_index.h: stepping through a tensor's elements in row-major order (internal).
 *
 *   int64_t index[TENSOR_MAX_RANK] = {0}, at = 0;
 *   for (int64_t i = 0; i < tensor_size(t); i++, at += index_step(t, index))
 *       ... t->data[at] is element number i ... */
#ifndef GRADUS_TENSOR_INDEX_H
#define GRADUS_TENSOR_INDEX_H

#include "tensor/tensor.h"

/* Counts index up by one, the last axis fastest. Returns how far that moves in the data. */
static inline int64_t index_step(const Tensor *t, int64_t *index)
{
    int64_t moved = 0;
    for (int axis = t->shape.rank - 1; axis >= 0; axis--) {
        moved += t->stride[axis];
        if (++index[axis] < t->shape.dim[axis])
            break;
        moved -= index[axis] * t->stride[axis];
        index[axis] = 0;
    }
    return moved;
}

#endif
