/* hw4.c: embedding and layer norm. README.md has the equations, hw4.h the contracts. You may add
 * static functions. */
#include "hw4.h"

#include <math.h>

/* ---- 1. embedding ---------------------------------------------------------------------------- */

void embed(real *y, const real *e, const int *ids, int t, int c)
{
    /* BEGIN SOLUTION: row i of y is row ids[i] of e */
    for (int i = 0; i < t; i++)
        for (int j = 0; j < c; j++)
            y[i * c + j] = e[ids[i] * c + j];
    /* END SOLUTION */
}

void embed_backward(real *de, const real *dy, const int *ids, int t, int c)
{
    /* BEGIN SOLUTION: row i of dy is added to row ids[i] of de */
    for (int i = 0; i < t; i++)
        for (int j = 0; j < c; j++)
            de[ids[i] * c + j] += dy[i * c + j];
    /* END SOLUTION */
}

/* ---- 2. layer norm --------------------------------------------------------------------------- */

void layernorm(real *y, const real *x, const real *gamma, const real *beta, int rows, int c,
               real eps)
{
    /* BEGIN SOLUTION: per row: y_j = gamma_j (x_j - mean) / sqrt(variance + eps) + beta_j */
    for (int i = 0; i < rows; i++, x += c, y += c) {
        double mean = 0, variance = 0;
        for (int j = 0; j < c; j++)
            mean += x[j];
        mean /= c;
        for (int j = 0; j < c; j++)
            variance += (x[j] - mean) * (x[j] - mean);
        variance /= c;
        double root = sqrt(variance + (double)eps);
        for (int j = 0; j < c; j++)
            y[j] = (real)(gamma[j] * (x[j] - mean) / root + beta[j]);
    }
    /* END SOLUTION */
}

/* ---- 3. its backward pass -------------------------------------------------------------------- */

void layernorm_statistics_backward(real *dmean, real *dvariance, const real *dy, const real *x,
                                   const real *gamma, int rows, int c, real eps)
{
    /* BEGIN SOLUTION: question 5: sum over the row what reaches the mean and what reaches the
     * variance */
    for (int i = 0; i < rows; i++, x += c, dy += c) {
        double mean = 0, variance = 0, to_mean = 0, to_variance = 0;
        for (int j = 0; j < c; j++)
            mean += x[j] / (double)c;
        for (int j = 0; j < c; j++)
            variance += (x[j] - mean) * (x[j] - mean) / c;
        double deviation = sqrt(variance + (double)eps);
        for (int j = 0; j < c; j++) {
            double g = (double)dy[j] * gamma[j];
            to_mean -= g / deviation;
            to_variance -= 0.5 * g * (x[j] - mean) / (deviation * deviation * deviation);
        }
        dmean[i] += (real)to_mean;
        dvariance[i] += (real)to_variance;
    }
    /* END SOLUTION */
}

void layernorm_backward(real *dx, real *dgamma, real *dbeta, const real *dy, const real *x,
                        const real *gamma, int rows, int c, real eps)
{
    /* BEGIN SOLUTION: questions 6 to 8: x_j reaches L directly, through the mean and through the
     * variance */
    for (int i = 0; i < rows; i++, x += c, dx += c, dy += c) {
        double mu = 0, square = 0, mean_g = 0, mean_gx = 0;
        for (int j = 0; j < c; j++)
            mu += x[j] / (double)c;
        for (int j = 0; j < c; j++)
            square += (x[j] - mu) * (x[j] - mu) / c;
        double inverse = 1 / sqrt(square + (double)eps);
        for (int j = 0; j < c; j++) {
            double hat = (x[j] - mu) * inverse, g = (double)dy[j] * gamma[j];
            mean_g += g / c;
            mean_gx += g * hat / c;
            dgamma[j] += (real)(dy[j] * hat);
            dbeta[j] += dy[j];
        }
        for (int j = 0; j < c; j++) {
            double hat = (x[j] - mu) * inverse;
            double upstream = (double)dy[j] * gamma[j];
            dx[j] += (real)(inverse * (upstream - mean_g - hat * mean_gx));
        }
    }
    /* END SOLUTION */
}
