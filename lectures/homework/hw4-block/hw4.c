/* hw4.c: the transformer block. README.md has the equations, hw4.h the contracts. You may add
 * static functions. */
#include "hw4.h"

#include <math.h>
#include <stdlib.h>

/* ---- 1. layer norm --------------------------------------------------------------------------- */

void layernorm(real *y, const real *x, const real *gamma, const real *beta, int rows, int c,
               real eps)
{
    /* stub| (void)y, (void)x, (void)gamma, (void)beta, (void)rows, (void)c, (void)eps; */
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

/* ---- 2. its backward pass -------------------------------------------------------------------- */

void layernorm_statistics_backward(real *dmean, real *dvariance, const real *dy, const real *x,
                                   const real *gamma, int rows, int c, real eps)
{
    /* stub| (void)dmean, (void)dvariance, (void)dy, (void)x, (void)gamma; */
    /* stub| (void)rows, (void)c, (void)eps; */
    /* BEGIN SOLUTION: question 3: sum over the row what reaches the mean and what reaches the
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
    /* stub| (void)dx, (void)dgamma, (void)dbeta, (void)dy, (void)x, (void)gamma; */
    /* stub| (void)rows, (void)c, (void)eps; */
    /* BEGIN SOLUTION: questions 4 to 6: x_j reaches L directly, through the mean and through the
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

/* ---- 3. dropout ------------------------------------------------------------------------------ */

void dropout(real *y, const real *x, const real *u, int n, real p, int training)
{
    /* stub| (void)y, (void)x, (void)u, (void)n, (void)p, (void)training; */
    /* BEGIN SOLUTION: 0 where u_i < p, x_i / (1 - p) elsewhere; without training a copy */
    for (int i = 0; i < n; i++) {
        if (!training)
            y[i] = x[i];
        else if (u[i] < p)
            y[i] = 0;
        else
            y[i] = x[i] / (1 - p);
    }
    /* END SOLUTION */
}

void dropout_backward(real *dx, const real *dy, const real *u, int n, real p, int training)
{
    /* stub| (void)dx, (void)dy, (void)u, (void)n, (void)p, (void)training; */
    /* BEGIN SOLUTION: dropped elements get no gradient, kept ones get dy_i / (1 - p) */
    for (int i = 0; i < n; i++) {
        if (!training)
            dx[i] += dy[i];
        else if (u[i] >= p)
            dx[i] += dy[i] / (1 - p);
    }
    /* END SOLUTION */
}

/* ---- 4. two blocks --------------------------------------------------------------------------- */

void pre_norm_block(real *y, const real *x, const Block *b, int t, int c)
{
    /* stub| (void)y, (void)x, (void)b, (void)t, (void)c; */
    /* BEGIN SOLUTION: h = x + attend(norm1(x)), y = h + feed(norm2(h)) */
    int size = t * c;
    real *scratch = malloc(sizeof(real) * 3 * (size_t)size);
    if (!scratch)
        return;
    real *normed = scratch, *branch = scratch + size, *h = scratch + 2 * size;
    layernorm(normed, x, b->gamma1, b->beta1, t, c, b->eps);
    b->attend(branch, normed, t, c, b->w_attend);
    for (int i = 0; i < size; i++)
        h[i] = x[i] + branch[i];
    layernorm(normed, h, b->gamma2, b->beta2, t, c, b->eps);
    b->feed(branch, normed, t, c, b->w_feed);
    for (int i = 0; i < size; i++)
        y[i] = h[i] + branch[i];
    free(scratch);
    /* END SOLUTION */
}

void post_norm_block(real *y, const real *x, const Block *b, int t, int c)
{
    /* stub| (void)y, (void)x, (void)b, (void)t, (void)c; */
    /* BEGIN SOLUTION: h = norm1(x + attend(x)), y = norm2(h + feed(h)) */
    int size = t * c;
    real *scratch = malloc(sizeof(real) * 2 * (size_t)size);
    if (!scratch)
        return;
    real *sum = scratch, *h = scratch + size;
    b->attend(sum, x, t, c, b->w_attend);
    for (int i = 0; i < size; i++)
        sum[i] += x[i];
    layernorm(h, sum, b->gamma1, b->beta1, t, c, b->eps);
    b->feed(sum, h, t, c, b->w_feed);
    for (int i = 0; i < size; i++)
        sum[i] += h[i];
    layernorm(y, sum, b->gamma2, b->beta2, t, c, b->eps);
    free(scratch);
    /* END SOLUTION */
}

/* ---- 5. parameters --------------------------------------------------------------------------- */

long count_parameters(int vocabulary, int positions, int c, int heads, int f, int layers, int tied)
{
    /* stub| (void)vocabulary, (void)positions, (void)c, (void)heads, (void)f, (void)layers; */
    /* stub| (void)tied; */
    /* BEGIN SOLUTION: inputs + layers * (attention + feed-forward network + two norms) + norm +
     * output */
    (void)heads; /* heads share the c channels: their number does not matter */
    long embedding = (long)vocabulary * c;
    long inputs = embedding + (long)positions * c;
    long attention = 3L * c * c + 3 * c + (long)c * c + c;
    long feed = 2L * f * c + f + c;
    long norms = 4 * c;
    long output = tied ? 0 : embedding;
    return inputs + layers * (attention + feed + norms) + 2 * c + output;
    /* END SOLUTION */
    /* stub| return -9999; */
}
