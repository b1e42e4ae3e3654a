/* strided.h: kernels on arrays of any strides, row by row of a walk (internal).
 *
 *      for each row of the walk:   kernel(y + offset of the row, its stride, ...)
 *
 * The first array is what is written. An array that a row does not move is one number, or one row, for all. Many
 * rows are shared out among the threads, if each writes numbers of its own; of a few long ones the kernel shares out
 * each. */
#ifndef GRADUS_KERNELS_WALK_H
#define GRADUS_KERNELS_WALK_H

#include "tensor/kernels/kernels.h"
#include "tensor/strided_rows.h"

typedef void (*BinaryKernel)(real *y, const real *a, int64_t sa, const real *b, int64_t sb,
                             int64_t n);
typedef void (*UnaryBackward)(real *dx, const real *dy, const real *x_or_y, int64_t n);

/* The walk is over y, a, b; y, x; y, x; y, a, b. */
void strided_binary(StridedRows w, BinaryKernel kernel, real *y, const real *a, const real *b);
void strided_copy(StridedRows w, real *y, const real *x);
void strided_axpy(StridedRows w, real *y, real alpha, const real *x);
void strided_muladd(StridedRows w, real *y, const real *a, const real *b);

/* The place in the walk's order of the first NaN or infinity, which *number then is; -1 where there is none. */
int64_t strided_first_non_finite(StridedRows w, const real *x, double *number);

/* The gradient of a result becomes its operand's, in its own memory: `grad` is dy before and dx after. */
void kernel_backward_in_place(UnaryBackward kernel, real *grad, const real *x_or_y, int64_t n);

#endif
