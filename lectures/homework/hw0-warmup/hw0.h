/* hw0.h: the functions of homework 0. You write them in hw0.c; README.md says what they compute. */
#ifndef HW0_H
#define HW0_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { INPUTS_MOST = 8 }; /* n is never larger in parts 4 and 5 */

/* 1. Where element (at[0], ..., at[rank - 1]) of an array of this shape stands in memory.
 *    shape, at: (rank) */
TASK int offset_of(const int *shape, const int *at, int rank);

/* 2. The indices of the element that stands there.
 *    at, shape: (rank), 0 <= offset < the number of elements */
TASK void indices_of(int *at, const int *shape, int rank, int offset);

/* 3. y_ji = x_ij.
 *    x: (rows, columns), y: (columns, rows) */
TASK void transpose(real *y, const real *x, int rows, int columns);

/* A function of n numbers. `data` is what you were given together with it. */
typedef real Function(const real *x, int n, const void *data);

/* 4. The central differences of f at x, one for each input (equation 2).
 *    dx, x: (n) */
TASK void differences(real *dx, Function *f, const real *x, int n, real h, const void *data);

/* 5. Four gradients of f at x are given, three of which are right. Returns the number of the wrong
 *    one, 0 to 3. Its largest mistake is at least 0.25; use h = 1/64.
 *    gradients: (4, n), x: (n) */
TASK int wrong_gradient(const real *gradients, Function *f, const real *x, int n, const void *data);

#endif
