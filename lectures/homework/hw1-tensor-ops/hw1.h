/* hw1.h: the functions of homework 1. You write them in hw1.c; README.md says what they compute. */
#ifndef HW1_H
#define HW1_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. C = A B.                                            a: (m, k), b: (k, n) -> c: (m, n) */
TASK void matmul(real *c, const real *a, const real *b, int m, int k, int n);

/* Adds dL/dA to da and dL/dB to db.                      dc: (m, n), da: (m, k), db: (k, n) */
TASK void matmul_backward(real *da, real *db, const real *dc, const real *a, const real *b, int m,
                          int k, int n);

/* 2. y = a + b, where an axis of size 1 is repeated.     a: (ar, ac), b: (br, bc)
 *    ar and br are equal or one of them is 1; so are ac and bc. y: (max(ar, br), max(ac, bc)) */
TASK void add(real *y, const real *a, int ar, int ac, const real *b, int br, int bc);

/* Adds dL/da to da: (ar, ac), and dL/db to db: (br, bc). dy has y's shape. */
TASK void add_backward(real *da, int ar, int ac, real *db, int br, int bc, const real *dy);

/* 3. The softmax of each row, also of rows with very large and very small numbers.
 *    x, y: (rows, n) */
TASK void softmax(real *y, const real *x, int rows, int n);

/* Adds dL/dx to dx; y is the result of softmax.          dx, dy, y: (rows, n) */
TASK void softmax_backward(real *dx, const real *dy, const real *y, int rows, int n);

/* 4. y_i = log sum_j exp x_ij, also of very large numbers.          x: (rows, n) -> y: (rows) */
TASK void logsumexp(real *y, const real *x, int rows, int n);

/* Adds dL/dx to dx.                                      dy: (rows), dx, x: (rows, n) */
TASK void logsumexp_backward(real *dx, const real *dy, const real *x, int rows, int n);

#endif
