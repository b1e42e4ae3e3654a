/* values.h: what many claims need: random tensors, and how far two tensors are from each other. */
#ifndef LECTURES_VALUES_H
#define LECTURES_VALUES_H

#include "gradus.h"

/* Standard normal numbers of the given deviation on the tape; `leaf` brings them a gradient. */
Tensor *values_normal(Tape *tape, Rng *rng, Shape shape, double deviation);
Tensor *values_leaf(Tape *tape, Rng *rng, Shape shape, double deviation);

/* max |a - b| of two tensors of one shape, and max |a|, over all elements; NaN where one is, or on poison. */
double values_difference(const Tensor *a, const Tensor *b);
double values_largest(const Tensor *a);

/* The tensor with rows (axis 0 of a matrix, axis 1 of a batch) in another order: row t of the result is row order[t]
 * of x. x (T, C) or (1, T, C). */
Tensor *values_permuted(Tensor *x, const int *order);

/* The slope of log y against log x by least squares: the exponent p of y ~ x^p. */
double values_exponent(const double *x, const double *y, int n);

#endif
