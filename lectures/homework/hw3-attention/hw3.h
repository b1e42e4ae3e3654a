/* hw3.h: the functions of homework 3. You write them in hw3.c; README.md says what they compute.
 *
 * All arrays lie row by row: element (b, i, j) of a (batch, n, m) array x is x[(b * n + i) * m + j]. Rows are
 * tokens. All sizes are at least 1. A forward function sets every element of its result; a backward function
 * ADDS to the gradients that it is given. What is const stays as it is. What you take with malloc you free. */
#ifndef HW3_H
#define HW3_H

#include <stddef.h>

/* The grader compiles your file twice: values with float, gradients with double. Write real. */
#ifdef GRADUS_F64
typedef double real;
#else
typedef float real;
#endif

#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* 1. The sinusoidal code of the places 0 to t - 1. c is even.                    p: (t, c) */
TASK void positions(real *p, int t, int c, real base);

/* 2. Which keys a query may look at: keep is 1 there and 0 elsewhere. Keys from `length` on are padding: none
 *    looks at them. If causal is 1, query i looks at key j only if j <= i + m - n: the last query at all keys, the
 *    one before at all but the last one, and so on.                               keep: (n, m) */
TASK void make_keep(int *keep, int n, int m, int causal, int length);

/* 3. A = softmax(Q K^T / sqrt(d)) over the keys that are kept; exactly 0 for the others. A query that may look
 *    at nothing has a row of zeros. keep may be NULL: then all are kept. It is the same for the whole batch.
 *    Scores may be very large.     q: (batch, n, d), k: (batch, m, d), keep: (n, m) -> a: (batch, n, m) */
TASK void attention_weights(real *a, const real *q, const real *k, const int *keep, int batch,
                            int n, int m, int d);

/* 4. Y = A V.                                    a: (batch, n, m), v: (batch, m, d) -> y: (batch, n, d) */
TASK void attend(real *y, const real *a, const real *v, int batch, int n, int m, int d);

/* 5. The backward of 3 and 4 together: adds dL/dQ, dL/dK and dL/dV. a is what attention_weights computed.
 *    dq, q, dy: (batch, n, d), dk, dv, k, v: (batch, m, d), a: (batch, n, m) */
TASK void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a,
                             const real *q, const real *k, const real *v, int batch, int n, int m,
                             int d);

/* 6. Channels h d to (h + 1) d - 1 are head h's: from x: (t, heads * d) to y: (heads, t, d). */
TASK void split_heads(real *y, const real *x, int t, int heads, int d);

/* And back again: from x: (heads, t, d) to y: (t, heads * d). */
TASK void merge_heads(real *y, const real *x, int t, int heads, int d);

/* 7. Multi-head self-attention. Rows 0 to c - 1 of w_in make the queries, the next c the keys, the last c the
 *    values: q = x w^T with w: (c, c). The result goes through w_out in the same way. heads divides c.
 *    x, y: (t, c), w_in: (3 * c, c), w_out: (c, c) */
TASK void multi_head(real *y, const real *x, const real *w_in, const real *w_out, int t, int c,
                     int heads, int causal);

#endif
