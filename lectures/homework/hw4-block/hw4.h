/* hw4.h: the functions of homework 4. You write them in hw4.c; README.md says what they compute.
 *
 * Matrices lie row by row: element (i, j) of a (rows, c) matrix x is x[i * c + j]. Rows are tokens. All sizes
 * are at least 1. A forward function sets every element of its result; a backward function ADDS to the gradients
 * that it is given. What is const stays as it is. What you take with malloc you free. */
#ifndef HW4_H
#define HW4_H

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

/* 1. Each row of x with mean 0 and variance 1, then times gamma plus beta, channel by channel. The variance is the
 *    mean of the squared distances, and eps is added to it.   x, y: (rows, c), gamma, beta: (c) */
TASK void layernorm(real *y, const real *x, const real *gamma, const real *beta, int rows, int c,
                    real eps);

/* Adds dL/dx, dL/dgamma and dL/dbeta.                         dx, dy, x: (rows, c), dgamma, dbeta, gamma: (c) */
TASK void layernorm_backward(real *dx, real *dgamma, real *dbeta, const real *dy, const real *x,
                             const real *gamma, int rows, int c, real eps);

/* 2. While training, x_i is dropped (set to 0) where u_i < p, and what is kept is divided by 1 - p; otherwise y is x.
 *    u holds random numbers from 0 to 1, 0 <= p < 1.          x, u, y: (n) */
TASK void dropout(real *y, const real *x, const real *u, int n, real p, int training);

/* Adds dL/dx to dx; u, p and training as in the forward call. dx, dy, u: (n) */
TASK void dropout_backward(real *dx, const real *dy, const real *u, int n, real p, int training);

/* 3. A layer: y from x, both (t, c), with weights w. y and x may not be the same array. */
typedef void Layer(real *y, const real *x, int t, int c, const real *w);

typedef struct {
    Layer *attend; /* attention, called as attend(y, x, t, c, w_attend) */
    const real *w_attend;
    Layer *feed; /* the feed-forward net */
    const real *w_feed;
    const real *gamma1, *beta1; /* of the first norm: (c)  */
    const real *gamma2, *beta2; /* of the second one: (c)  */
    real eps;
} Block;

/* Norms inside the branches: h = x + attend(norm1(x)), y = h + feed(norm2(h)).    x, y: (t, c) */
TASK void pre_norm_block(real *y, const real *x, const Block *b, int t, int c);

/* Norms after the sums: h = norm1(x + attend(x)), y = norm2(h + feed(h)).         x, y: (t, c) */
TASK void post_norm_block(real *y, const real *x, const Block *b, int t, int c);

/* 4. How many numbers a GPT of `layers` pre-norm blocks learns. Words: a table (vocabulary, c); places: a table
 *    (places, c). A block: projections to queries, keys and values (3 c, c), one after the heads (c, c), the
 *    feed-forward net's (f, c) and (c, f), all with biases, and two norms with gamma and beta. After the last block a
 *    norm, then a projection (vocabulary, c) without bias; if tied is 1 that is the table of words itself. */
TASK long count_parameters(int vocabulary, int places, int c, int heads, int f, int layers,
                           int tied);

#endif
