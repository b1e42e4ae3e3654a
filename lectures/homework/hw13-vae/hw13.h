/* hw13.h: the functions of homework 13. You write them in hw13.c; README.md says what they compute.
 *
 * logvar is the logarithm of a variance. */
#ifndef HW13_H
#define HW13_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

/* 1. The E step of a mixture of k normal distributions: r_ij is the probability that x_i came from
 *    component j. Returns the mean over i of log p(x_i). An x may be far from all means.
 *    r: (n, k), x: (n), weight, mean, variance: (k) */
TASK real e_step(real *r, const real *x, const real *weight, const real *mean, const real *variance,
                 int n, int k);

/* 2. The M step: the weights, means and variances that are best for r.
 *    weight, mean, variance: (k), x: (n), r: (n, k) */
TASK void m_step(real *weight, real *mean, real *variance, const real *x, const real *r, int n,
                 int k);

/* 3. For a z with k values: returns the ELBO of one x, and sets *kl to KL(q || p(z | x)). q may be
 *    0 for some z.
 *    q, prior: (k), log_likelihood: (k), log p(x | z) for each z */
TASK real discrete_elbo(real *kl, const real *q, const real *prior, const real *log_likelihood,
                        int k);

/* 4. KL(N(mean, exp(logvar)) || N(0, 1)), summed over n, averaged over the batch.
 *    mean, logvar: (batch, n) */
TASK real gaussian_kl(const real *mean, const real *logvar, int batch, int n);

/* 5. Its gradients, times dkl.
 *    dmean, dlogvar, mean, logvar: (batch, n) */
TASK void gaussian_kl_backward(real *dmean, real *dlogvar, real dkl, const real *mean,
                               const real *logvar, int batch, int n);

/* 6. z = mean + standard deviation times eps; eps was drawn from N(0, 1).
 *    z, mean, logvar, eps: (n) */
TASK void reparameterise(real *z, const real *mean, const real *logvar, const real *eps, int n);

/* 7. The ELBO of one x, estimated with one z: log p(x | z) of a normal distribution with the means
 *    y and one variance, minus KL(q || N(0, 1)) in closed form.
 *    x, y: (d), mean, logvar: (n) */
TASK real gaussian_elbo(const real *x, const real *y, real variance, int d, const real *mean,
                        const real *logvar, int n);

/* 8. The score-function estimate of the gradients of E_q[f(z)], from `draws` draws z of q =
 *    N(mean, exp(logvar)), with a baseline.
 *    dmean, dlogvar, mean, logvar: (n), f: (draws), f(z) of each draw, z: (draws, n) */
TASK void score_gradient(real *dmean, real *dlogvar, const real *f, real baseline, const real *z,
                         const real *mean, const real *logvar, int draws, int n);

/* 9. The same gradients, estimated by reparameterisation from the same draws.
 *    dmean, dlogvar, logvar: (n), df: (draws, n), df/dz at each draw, eps: (draws, n) */
TASK void path_gradient(real *dmean, real *dlogvar, const real *df, const real *eps,
                        const real *logvar, int draws, int n);

/* 10. The importance-weighted bound, averaged over the batch. log_w is log p(x, z) - log q(z | x)
 *     of `draws` draws of each x, and may be very small.
 *     log_w: (batch, draws) */
TASK real weighted_bound(const real *log_w, int batch, int draws);

#endif
