/* hw13.c: latent variables. README.md has the equations, hw13.h the contracts. You may add static
 * functions of your own. */
#include "hw13.h"

#include <math.h>

/* BEGIN SOLUTION: perhaps helpers: log N(x; mean, variance), and the logarithm of a sum of exp */
static const double LOG_TWO_PI = 1.837877066409345483560659472811;

static double log_normal(double x, double mean, double variance)
{
    double distance = x - mean;
    return -(LOG_TWO_PI + log(variance) + distance * distance / variance) / 2;
}

static double log_sum(const double *logs, int n)
{
    double top = logs[0], sum = 0;
    for (int i = 1; i < n; i++)
        top = fmax(top, logs[i]);
    for (int i = 0; i < n; i++)
        sum += exp(logs[i] - top);
    return top + log(sum);
}

enum { MOST = 32 }; /* components, or draws; the tests have fewer */
/* END SOLUTION */

real e_step(real *r, const real *x, const real *weight, const real *mean, const real *variance,
            int n, int k)
{
    /* BEGIN SOLUTION: equation 1, in logarithms: r_ij = exp(log p(x_i, j) - log p(x_i)) */
    double total = 0;
    for (int i = 0; i < n; i++) {
        double joint[MOST];
        for (int j = 0; j < k; j++) {
            double likelihood = log_normal((double)x[i], (double)mean[j], (double)variance[j]);
            joint[j] = log((double)weight[j]) + likelihood;
        }
        double whole = log_sum(joint, k);
        for (int j = 0; j < k; j++)
            r[i * k + j] = (real)exp(joint[j] - whole);
        total += whole;
    }
    return (real)(total / n);
    /* END SOLUTION */
}

void m_step(real *weight, real *mean, real *variance, const real *x, const real *r, int n, int k)
{
    /* BEGIN SOLUTION: for each component: its share of r, and the mean and variance weighted by
     * r */
    for (int j = 0; j < k; j++) {
        double share = 0, centre = 0, spread = 0;
        for (int i = 0; i < n; i++) {
            share += (double)r[i * k + j];
            centre += (double)r[i * k + j] * (double)x[i];
        }
        centre /= share;
        for (int i = 0; i < n; i++) {
            double distance = (double)x[i] - centre;
            spread += (double)r[i * k + j] * distance * distance;
        }
        weight[j] = (real)(share / n);
        mean[j] = (real)centre;
        variance[j] = (real)(spread / share);
    }
    /* END SOLUTION */
}

real discrete_elbo(real *kl, const real *q, const real *prior, const real *log_likelihood, int k)
{
    /* BEGIN SOLUTION: the mean under q of log p(x, z) - log q(z); KL = log p(x) - ELBO */
    double joint[MOST], elbo = 0;
    for (int z = 0; z < k; z++) {
        joint[z] = log((double)prior[z]) + (double)log_likelihood[z];
        if (q[z] > 0)
            elbo += (double)q[z] * (joint[z] - log((double)q[z]));
    }
    *kl = (real)(log_sum(joint, k) - elbo);
    return (real)elbo;
    /* END SOLUTION */
}

real gaussian_kl(const real *mean, const real *logvar, int batch, int n)
{
    /* BEGIN SOLUTION: equation 6, summed, divided by the batch */
    double sum = 0;
    for (int i = 0; i < batch * n; i++) {
        double m = (double)mean[i], v = (double)logvar[i];
        sum += (m * m + exp(v) - v - 1) / 2;
    }
    return (real)(sum / batch);
    /* END SOLUTION */
}

void gaussian_kl_backward(real *dmean, real *dlogvar, real dkl, const real *mean,
                          const real *logvar, int batch, int n)
{
    /* BEGIN SOLUTION: mean for the mean, (exp(logvar) - 1) / 2 for logvar, times dkl / batch */
    for (int i = 0; i < batch * n; i++) {
        dmean[i] += (real)((double)dkl * (double)mean[i] / batch);
        dlogvar[i] += (real)((double)dkl * (exp((double)logvar[i]) - 1) / 2 / batch);
    }
    /* END SOLUTION */
}

void reparameterise(real *z, const real *mean, const real *logvar, const real *eps, int n)
{
    /* BEGIN SOLUTION: the standard deviation is exp(logvar / 2) */
    for (int i = 0; i < n; i++)
        z[i] = (real)((double)mean[i] + exp((double)logvar[i] / 2) * (double)eps[i]);
    /* END SOLUTION */
}

real gaussian_elbo(const real *x, const real *y, real variance, int d, const real *mean,
                   const real *logvar, int n)
{
    /* BEGIN SOLUTION: the sum of log N(x_i; y_i, variance), minus gaussian_kl */
    double likelihood = 0;
    for (int i = 0; i < d; i++)
        likelihood += log_normal((double)x[i], (double)y[i], (double)variance);
    return (real)(likelihood - (double)gaussian_kl(mean, logvar, 1, n));
    /* END SOLUTION */
}

void score_gradient(real *dmean, real *dlogvar, const real *f, real baseline, const real *z,
                    const real *mean, const real *logvar, int draws, int n)
{
    /* BEGIN SOLUTION: equations 8 and 9 */
    for (int s = 0; s < draws; s++) {
        double reward = ((double)f[s] - (double)baseline) / draws;
        for (int i = 0; i < n; i++) {
            double distance = (double)z[s * n + i] - (double)mean[i];
            double variance = exp((double)logvar[i]);
            dmean[i] += (real)(reward * distance / variance);
            dlogvar[i] += (real)(reward * (distance * distance / variance - 1) / 2);
        }
    }
    /* END SOLUTION */
}

void path_gradient(real *dmean, real *dlogvar, const real *df, const real *eps, const real *logvar,
                   int draws, int n)
{
    /* BEGIN SOLUTION: the chain rule through reparameterise, averaged over the draws */
    for (int s = 0; s < draws; s++)
        for (int i = 0; i < n; i++) {
            double slope = (double)df[s * n + i] / draws;
            double deviation = exp((double)logvar[i] / 2);
            dmean[i] += (real)slope;
            dlogvar[i] += (real)(slope * deviation * (double)eps[s * n + i] / 2);
        }
    /* END SOLUTION */
}

real weighted_bound(const real *log_w, int batch, int draws)
{
    /* BEGIN SOLUTION: the logarithm of the mean of exp(log_w), without overflow; then the mean over
     * the batch */
    double total = 0;
    for (int i = 0; i < batch; i++) {
        double row[MOST];
        for (int s = 0; s < draws; s++)
            row[s] = (double)log_w[i * draws + s];
        total += log_sum(row, draws) - log(draws);
    }
    return (real)(total / batch);
    /* END SOLUTION */
}
