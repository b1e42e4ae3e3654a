/* npy.h: an array into a stream that another room has opened (internal). */
#ifndef GRADUS_TENSOR_NPY_H
#define GRADUS_TENSOR_NPY_H

#include "../tensor.h"

/* Header and numbers of a tensor with data or ids. A write that fails shows when the file is
 * committed. */
void npy_put(FILE *out, const Tensor *t);

#endif
