/* hw5.h: the functions of homework 5. You write them in hw5.c; README.md says what they compute.
 *
 * Matrices lie row by row: element (i, j) of an (m, n) matrix x is x[i * n + j]. All sizes are at least 1. A
 * forward function sets every element of its result, unless it says otherwise; a backward function ADDS to the
 * gradients that it is given. What is const stays as it is. */
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

/* 1. The mean of -log softmax(logits of place i)[labels[i]] over the places whose label is not negative; all
 *    others are ignored. 0 if there is none.                     logits: (t, v), labels: (t) below v */
TASK real masked_loss(const real *logits, const int *labels, int t, int v);

/* Adds dL/dlogits; dloss is dL/dloss.                            dlogits: (t, v) */
TASK void masked_loss_backward(real *dlogits, real dloss, const real *logits, const int *labels,
                               int t, int v);

/* 2. KL(q || p) of q = N(mean, exp(logvar)), one normal distribution for each of n latent numbers, and p = N(0, 1):
 *    summed over the n, averaged over the batch.                 mean, logvar: (batch, n) */
TASK real gaussian_kl(const real *mean, const real *logvar, int batch, int n);

/* Adds dL/dmean and dL/dlogvar; dloss is dL/dKL.                 dmean, dlogvar, mean, logvar: (batch, n) */
TASK void gaussian_kl_backward(real *dmean, real *dlogvar, real dloss, const real *mean,
                               const real *logvar, int batch, int n);

/* 3. z_i, a sample of N(mean_i, exp(logvar_i)), from noise_i, a sample of N(0, 1).    all: (n) */
TASK void reparameterise(real *z, const real *mean, const real *logvar, const real *noise, int n);

/* Adds dL/dmean and dL/dlogvar.                                                       all: (n) */
TASK void reparameterise_backward(real *dmean, real *dlogvar, const real *dz, const real *logvar,
                                  const real *noise, int n);

/* 4. The nucleus: the fewest words whose probabilities, softmax(logits), sum to p or more, the likeliest first, of equal
 *    ones that with the lower id. prob is then the distribution over these words alone, 0 for others. Returns
 *    how many they are. 0 < p < 1.                               logits, prob: (v) */
TASK int top_p(real *prob, const real *logits, int v, real p);

/* The first word i with prob[0] + ... + prob[i] > u; where rounding leaves none, the last whose probability is not 0.
 * 0 <= u < 1.                                                    prob: (v), sums to 1 */
TASK int draw(const real *prob, int v, real u);

/* 5. Puts the keys (or the values) of the token at `place` into the cache, where nothing else changes.
 *    x: (heads, d), cache: (heads, capacity, d), 0 <= place < capacity */
TASK void cache_append(real *cache, const real *x, int heads, int capacity, int d, int place);

/* What the last token gets: softmax(q k^T / sqrt(d)) v, head by head, over the first `count` tokens in the cache;
 * what lies behind them is old. 1 <= count <= capacity.   q, y: (heads, d), keys, values: (heads, capacity, d) */
TASK void cached_attention(real *y, const real *q, const real *keys, const real *values, int heads,
                           int capacity, int d, int count);

#endif
