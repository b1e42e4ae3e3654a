/* npy.h: writing an array into an open stream (internal).
 * The format is described in npy_write.c; tensor_npy_read and tensor_npy_write are public
 * (tensor.h). */
#ifndef GRADUS_TENSOR_NPY_H
#define GRADUS_TENSOR_NPY_H

#include "tensor/tensor.h"

/* Writes the header and the numbers of a tensor with data or ids. atomic_commit reports a write
 * that failed. */
void npy_put(FILE *out, const Tensor *t);

#endif
