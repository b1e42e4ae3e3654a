/* hw4b.h: the functions of homework 4b. You write them in hw4b.c; README.md says what they compute.
 *
 * Rows are tokens. */
#ifndef HW4B_H
#define HW4B_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. While training, x_i is dropped (y_i = 0) where u_i < p, and kept values are divided by 1 - p;
 *    otherwise y is x. u holds random numbers, 0 <= u_i < 1; 0 <= p < 1.   x, u, y: (n) */
TASK void dropout(real *y, const real *x, const real *u, int n, real p, int training);

/* Adds dL/dx to dx; u, p and training as in the forward call. dx, dy, u: (n) */
TASK void dropout_backward(real *dx, const real *dy, const real *u, int n, real p, int training);

/* 2. A layer computes y from x, both (t, c), with weights w. y and x must be two different arrays,
 *    for a norm, too. */
typedef void Layer(real *y, const real *x, int t, int c, const real *w);

/* The layer norm of homework 4, which the grader gives to the functions below. */
typedef void Norm(real *y, const real *x, const real *gamma, const real *beta, int t, int c,
                  real eps);

typedef struct {
    Norm *norm;    /* called as norm(y, x, gamma1, beta1, t, c, eps) */
    Layer *attend; /* attention, called as attend(y, x, t, c, w_attend) */
    const real *w_attend;
    Layer *feed; /* the feed-forward network */
    const real *w_feed;
    const real *gamma1, *beta1; /* of the first norm: (c)  */
    const real *gamma2, *beta2; /* of the second one: (c)  */
    real eps;
} Block;

/* The norms are inside the branches: h = x + attend(norm1(x)), y = h + feed(norm2(h)).
 * x, y: (t, c) */
TASK void pre_norm_block(real *y, const real *x, const Block *b, int t, int c);

/* The norms come after the sums: h = norm1(x + attend(x)), y = norm2(h + feed(h)).
 * x, y: (t, c) */
TASK void post_norm_block(real *y, const real *x, const Block *b, int t, int c);

/* 3. The number of learned parameters of a GPT with `layers` pre-norm blocks. It has an embedding
 *    (vocabulary, c) and a learned positional encoding (positions, c). Each block has: projections
 *    to queries, keys and values (3 c, c), a projection after the heads (c, c), the feed-forward
 *    network's (f, c) and (c, f), all with biases, and two norms, each with gamma and beta. After
 *    the last block come a norm and a projection (vocabulary, c) without bias; if tied is 1, that
 *    projection is the embedding itself. */
TASK long count_parameters(int vocabulary, int positions, int c, int heads, int f, int layers,
                           int tied);

#endif
