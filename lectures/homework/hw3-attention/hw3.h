/* hw3.h: the functions of homework 3. You write them in hw3.c; README.md says what they compute.
 *
 * Rows are tokens. */
#ifndef HW3_H
#define HW3_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. The mask: keep is 1 where a query may look at a key and 0 elsewhere. Keys from `length` on are
 *    padding, which no query may look at. If causal is 1, query i may look at key j only if j <= i
 *    + m - n: the last query at all keys, the one before it at all but the last key, and so on.
 *    keep: (n, m) */
TASK void make_keep(int *keep, int n, int m, int causal, int length);

/* 2. A = softmax(Q K^T / sqrt(d)) over the keys that are kept; exactly 0 for the others. A query
 *    that may look at no key has a row of zeros. keep may be NULL: then all keys are kept. The
 *    whole batch shares one mask. Scores may be very large.
 *    q: (batch, n, d), k: (batch, m, d), keep: (n, m) -> a: (batch, n, m) */
TASK void attention_weights(real *a, const real *q, const real *k, const int *keep, int batch,
                            int n, int m, int d);

/* 3. Y = A V.   a: (batch, n, m), v: (batch, m, d) -> y: (batch, n, d) */
TASK void attend(real *y, const real *a, const real *v, int batch, int n, int m, int d);

/* 4. The backward pass of 2 and 3 together: adds dL/dQ, dL/dK and dL/dV. a is the result of
 *    attention_weights. dq, q, dy: (batch, n, d), dk, dv, k, v: (batch, m, d), a: (batch, n, m) */
TASK void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a,
                             const real *q, const real *k, const real *v, int batch, int n, int m,
                             int d);

#endif
