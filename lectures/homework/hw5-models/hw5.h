/* hw5.h: the functions of homework 5. You write them in hw5.c; README.md says what they compute.
 *
 * Matrices are stored row by row: element (i, j) of an (m, n) matrix x is x[i * n + j]. All sizes
 * are at least 1. A forward function sets every element of its result, unless its comment says
 * otherwise; a backward function ADDS to the gradients that it is given. A function does not change
 * what is const. */
#ifndef HW5_H
#define HW5_H

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

/* 1. The mean of -log softmax(logits of position i)[labels[i]] over the positions whose label is
 *    not negative; all others are ignored, whatever their negative label is. 0 if there is none.
 *    logits: (t, v), labels: (t) below v */
TASK real masked_loss(const real *logits, const int *labels, int t, int v);

/* Adds dL/dlogits; dloss is dL/dloss.                            dlogits: (t, v) */
TASK void masked_loss_backward(real *dlogits, real dloss, const real *logits, const int *labels,
                               int t, int v);

/* 2. KL(q || p) of q = N(mean, exp(logvar)), one normal distribution for each of n latent
 *    variables, and p = N(0, 1): summed over the n, averaged over the batch.
 *    mean, logvar: (batch, n) */
TASK real gaussian_kl(const real *mean, const real *logvar, int batch, int n);

/* Adds dL/dmean and dL/dlogvar; dloss is dL/dKL.        dmean, dlogvar, mean, logvar: (batch, n) */
TASK void gaussian_kl_backward(real *dmean, real *dlogvar, real dloss, const real *mean,
                               const real *logvar, int batch, int n);

/* 3. z_i, a sample of N(mean_i, exp(logvar_i)), from noise_i, a sample of N(0, 1).    all: (n) */
TASK void reparameterise(real *z, const real *mean, const real *logvar, const real *noise, int n);

/* Adds dL/dmean and dL/dlogvar.                                                       all: (n) */
TASK void reparameterise_backward(real *dmean, real *dlogvar, const real *dz, const real *logvar,
                                  const real *noise, int n);

/* 4. The nucleus: the smallest set of words whose probabilities, softmax(logits), sum to p or more.
 *    Words are added in the order of their probability, equal ones in the order of their ids. Sets
 *    prob to the distribution over these words alone, 0 for all others, and returns the number of
 *    words in the nucleus. Logits may be very large. 0 < p < 1.   logits, prob: (v) */
TASK int top_p(real *prob, const real *logits, int v, real p);

/* The first word i with prob[0] + ... + prob[i] > u. Where rounding leaves no such word: the last
 * word whose probability
 * is not 0. 0 <= u < 1.                                      prob: (v), sums to 1 up to rounding */
TASK int draw(const real *prob, int v, real u);

/* 5. Writes the keys (or the values) of the token at `position` into the cache and changes nothing
 *    else there. x: (heads, d), cache: (heads, capacity, d), 0 <= position < capacity */
TASK void cache_append(real *cache, const real *x, int heads, int capacity, int d, int position);

/* The result of attention for the last token: softmax(q k^T / sqrt(d)) v, head by head, over the
 * first `count` tokens in the cache; later entries are left over from other sequences and do not
 * count. 1 <= count <= capacity. q, y: (heads, d), keys, values: (heads, capacity, d) */
TASK void cached_attention(real *y, const real *q, const real *keys, const real *values, int heads,
                           int capacity, int d, int count);

#endif
