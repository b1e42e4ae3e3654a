/* hw3b.h: the functions of homework 3b. You write them in hw3b.c; README.md says what they compute.
 *
 * Rows are tokens. */
#ifndef HW3B_H
#define HW3B_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. Channels h d to (h + 1) d - 1 belong to head h: from x: (t, heads * d) to y: (heads, t, d). */
TASK void split_heads(real *y, const real *x, int t, int heads, int d);

/* The inverse: from x: (heads, t, d) to y: (t, heads * d). */
TASK void merge_heads(real *y, const real *x, int t, int heads, int d);

/* 2. A linear layer without bias, y = x w^T.   x: (t, in), w: (out, in) -> y: (t, out) */
TASK void project(real *y, const real *x, const real *w, int t, int in, int out);

/* Adds dL/dx to dx and dL/dw to dw.                     dy: (t, out), dx: (t, in), dw: (out, in) */
TASK void project_backward(real *dx, real *dw, const real *dy, const real *x, const real *w, int t,
                           int in, int out);

/* The attention of homework 3, which the grader gives to the functions below. */
typedef struct {
    /* a = softmax(q k^T / sqrt(d)), y = a v. If causal is 1, query i sees keys 0 to i + m - n.
     * q, y: (batch, n, d), k, v: (batch, m, d), a: (batch, n, m) */
    void (*forward)(real *y, real *a, const real *q, const real *k, const real *v, int batch, int n,
                    int m, int d, int causal);
    /* Adds dL/dq, dL/dk and dL/dv; a is the result of forward. */
    void (*backward)(real *dq, real *dk, real *dv, const real *dy, const real *a, const real *q,
                     const real *k, const real *v, int batch, int n, int m, int d);
} Attention;

/* 3. Multi-head attention. Queries come from x, keys and values from memory; in self-attention,
 *    memory is x itself. Rows 0 to c - 1 of w_in project to queries, the next c to keys, the last c
 *    to values. The merged heads are projected by w_out. heads divides c.
 *    x, y: (n, c), memory: (m, c), w_in: (3 * c, c), w_out: (c, c) */
TASK void multi_head(real *y, const real *x, const real *memory, const real *w_in,
                     const real *w_out, int n, int m, int c, int heads, int causal,
                     const Attention *attention);

/* 4. Adds dL/dx, dL/dmemory, dL/dw_in and dL/dw_out. In self-attention, memory is x, and dmemory is
 *    dx. */
TASK void multi_head_backward(real *dx, real *dmemory, real *dw_in, real *dw_out, const real *dy,
                              const real *x, const real *memory, const real *w_in,
                              const real *w_out, int n, int m, int c, int heads, int causal,
                              const Attention *attention);

#endif
