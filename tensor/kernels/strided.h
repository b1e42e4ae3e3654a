/* strided.h: kernels on arrays of any strides (internal).
 *
 *    for each row of StridedRows (tensor/strided_rows.h):  kernel(y + offset of the row, its stride, ...)
 *
 * The first array of the rows is the one that is written. Threads share the rows where there are
 * many and each writes numbers of its own; of few long rows the kernel divides each among the
 * threads. */
#ifndef GRADUS_KERNELS_STRIDED_H
#define GRADUS_KERNELS_STRIDED_H

#include "tensor/kernels/kernels.h"
#include "tensor/strided_rows.h"

/* y = kernel(a, b). The rows are those of y, a, b. */
void strided_binary(StridedRows w, BinaryKernel *kernel, real *y, const real *a, const real *b);
/* y = x. The rows are those of y, x, which do not overlap. */
void strided_copy(StridedRows w, real *y, const real *x);
/* y += alpha x. The rows are those of y, x. Where y has stride 0, the sum. */
void strided_axpy(StridedRows w, real *y, real alpha, const real *x);
/* y += a b. The rows are those of y, a, b. Where y has stride 0, the sum. */
void strided_muladd(StridedRows w, real *y, const real *a, const real *b);

#endif
