/* hw7.h: the functions of homework 7. You write them in hw7.c; README.md says what they compute.
 *
 * Rows are tokens, positions count from 0. d is even, base is above 1. No result shares memory with
 * an input. */
#ifndef HW7_H
#define HW7_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. The sinusoids of positions 0 to t - 1 (equation 1).   table: (t, d) */
TASK void sinusoids(real *table, int t, int d, real base);

/* 2. The matrix R_k with PE(p + k) = R_k PE(p) for every p (equation 3). k may be negative or 0.
 *    Codes are columns here.   r: (d, d) */
TASK void rotation(real *r, int k, int d, real base);

/* Row p of y is R_k times row p of x. x may hold any numbers.                       x, y: (t, d) */
TASK void shift_codes(real *y, const real *x, int k, int t, int d, real base);

/* 3. Rotary positions (equation 5): row i of each head is rotated as position[i] says, whatever i
 *    is. x holds the queries, or the keys.   x, y: (heads, t, d), position: (t), 0 or more */
TASK void rotary(real *y, const real *x, const int *position, int heads, int t, int d, real base);

/* Adds dL/dx to dx.                                         dx, dy: (heads, t, d), position: (t) */
TASK void rotary_backward(real *dx, const real *dy, const int *position, int heads, int t, int d,
                          real base);

/* 4. Learned positions: row p of the table is added to token p of each sentence. The table may have
 *    more rows than a sentence has tokens.
 *    x, y: (batch, t, d), table: (positions, d), t <= positions */
TASK void add_learned(real *y, const real *x, const real *table, int batch, int t, int positions,
                      int d);

/* Adds dL/dx and dL/dtable.        dx, dy: (batch, t, d), dtable: (positions, d), t <= positions */
TASK void add_learned_backward(real *dx, real *dtable, const real *dy, int batch, int t,
                               int positions, int d);

/* 5. Px: row i of y is row order[i] of x.      x, y: (t, d), order: (t), each of 0 to t - 1 once */
TASK void permute_rows(real *y, const real *x, const int *order, int t, int d);

/* A layer computes y from x, both (t, d), with weights w. y and x must be two different arrays. */
typedef void Layer(real *y, const real *x, int t, int d, const real *w);

/* The largest of the numbers |f(Px) - P f(x)|, where f is called as f(y, x, t, d, w).
 *                                              x: (t, d), order: (t), each of 0 to t - 1 once */
TASK real equivariance_error(Layer *f, const real *w, const real *x, const int *order, int t,
                             int d);

#endif
