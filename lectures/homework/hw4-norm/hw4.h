/* hw4.h: the functions of homework 4. You write them in hw4.c; README.md says what they compute.
 *
 * Rows are tokens. */
#ifndef HW4_H
#define HW4_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. Row i of y is row ids[i] of the embedding e.
 *    e: (v, c), ids: (t) from 0 to v - 1 -> y: (t, c) */
TASK void embed(real *y, const real *e, const int *ids, int t, int c);

/* Adds dL/de to de. A word may occur in ids several times.                de: (v, c), dy: (t, c) */
TASK void embed_backward(real *de, const real *dy, const int *ids, int t, int c);

/* 2. Normalises each row of x to mean 0 and variance 1, then multiplies by gamma and adds beta,
 *    channel by channel. The variance is the mean of the squared distances from the mean; eps is
 *    added to it.
 *    x, y: (rows, c), gamma, beta: (c) */
TASK void layernorm(real *y, const real *x, const real *gamma, const real *beta, int rows, int c,
                    real eps);

/* 3. The first step of the backward pass. In y_j = gamma_j (x_j - mean) / sqrt(variance + eps) +
 *    beta_j, take mean and variance as two variables, independent of each other and of x. Adds
 *    dL/dmean to dmean and dL/dvariance to dvariance, one of each for a row.
 *    dmean, dvariance: (rows), dy, x: (rows, c), gamma: (c) */
TASK void layernorm_statistics_backward(real *dmean, real *dvariance, const real *dy, const real *x,
                                        const real *gamma, int rows, int c, real eps);

/* The whole backward pass: adds dL/dx, dL/dgamma and dL/dbeta. dx, dy, x: (rows, c), dgamma, dbeta,
 * gamma: (c) */
TASK void layernorm_backward(real *dx, real *dgamma, real *dbeta, const real *dy, const real *x,
                             const real *gamma, int rows, int c, real eps);

#endif
