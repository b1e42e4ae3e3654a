/* values.h: what many claims need: random tensors, and how far two tensors are from each other. */
#ifndef LECTURES_VALUES_H
#define LECTURES_VALUES_H

#include "gradus.h"

/* Normal numbers of mean 0 and this deviation, on the tape: an input, and a leaf, which gets a
 * gradient. */
Tensor *values_normal(Tape *tape, Rng *rng, Shape shape, double deviation);
Tensor *values_leaf(Tape *tape, Rng *rng, Shape shape, double deviation);

/* The larger, and the smaller, of two numbers; NaN where either is NaN, which C's fmax and fmin
 * would drop. */
double values_worst(double a, double b);
double values_least(double a, double b);

/* max |a - b| of two tensors of one shape, and max |a|, over all elements. NaN where an element is
 * NaN, on the poison tensor, and for a difference also where both tensors are 0 throughout: two
 * tensors that were never computed agree, and that says nothing. */
double values_difference(const Tensor *a, const Tensor *b);
double values_largest(const Tensor *a);

/* From now on a failure in the library prints its message and ends the program with status 1,
 * except within values_can_multiply and with poisoned kernels (poison.h). */
void values_exit_on_error(void);

/* Does the matrix product of these two shapes exist? Asks ag_matmul, whose error is an answer here
 * and is forgotten; the text goes to `message`, or nowhere where that is NULL. Resets the tape. */
bool values_can_multiply(Tape *tape, Shape a, Shape b, char *message, size_t size);

/* The tensor with rows (axis 0 of a matrix, axis 1 of a batch) in another order: row t of the
 * result is row order[t] of x. x (T, C) or (1, T, C). */
Tensor *values_permuted(Tensor *x, const int *order);

/* The mean of n numbers and its standard error, sqrt(sum (x - mean)^2 / (n - 1) / n). */
typedef struct {
    double mean, error;
} Mean;
Mean values_mean(const double *x, int n);

/* The same of the n differences a - b: of two things that were measured on the same samples. */
Mean values_mean_difference(const double *a, const double *b, int n);

/* The slope of log y against log x by least squares: the exponent p of y ~ x^p. */
double values_exponent(const double *x, const double *y, int n);

/* The seed for which something is kept, such as a trained model that several claims share. */
typedef struct {
    bool is; /* set it to false where the making failed */
    uint64_t seed;
} Made;

/* Is it kept for this seed? If not, it counts as made for it from now on. */
bool made_for(Made *m, uint64_t seed);

#endif
