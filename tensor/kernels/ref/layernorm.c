/* layernorm.c: layer normalisation of rows. Ba, Kiros, Hinton, "Layer normalization" (2016),
 * equations 3 and 4
 *
 *   z_j = (x_j - mean) rstd,  rstd = 1 / sqrt(variance + epsilon),  y_j = gain_j z_j + bias_j
 *
 * x (rows, n), gain (n), bias (n) -> y (rows, n), stats (rows, 2).
 *
 * Three passes over a row in forward: the mean, the variance around it, the result. Backward sums
 * over rows for gain and bias, and over the row for x. */
#include "tensor/kernels/ref/ref.h"

#include <float.h>
#include <math.h>

/* The variance is that of the population: divided by n. stats keeps mean and rstd of each row for
 * backward. */
void ref_layernorm(real *y, real *stats, const real *x, const real *gain, const real *bias,
                   real epsilon, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n, stats += 2) {
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < n; j++)
            mean += x[j];
        mean /= (double)n;
        for (int64_t j = 0; j < n; j++)
            variance += (x[j] - mean) * (x[j] - mean);
        double rstd = 1 / sqrt(variance / (double)n + (double)epsilon);
        if (variance > DBL_MAX) { /* in libgradus-f64: with x scaled, epsilon is as nothing */
            variance = 0;
            for (int64_t j = 0; j < n; j++)
                variance += (x[j] - mean) * 0x1p-600 * ((x[j] - mean) * 0x1p-600);
            rstd = 0x1p-600 / sqrt(variance / (double)n);
        }
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)((x[j] - mean) * rstd * gain[j] + bias[j]);
        stats[0] = (real)mean;
        stats[1] = (real)rstd;
    }
}

/* With u_j = dy_j gain_j:  dx_j += rstd (u_j - mean(u) - z_j mean(u z)) */
static void row_backward(real *dx, const real *dy, const real *x, const real *stats,
                         const real *gain, int64_t n)
{
    double mean = stats[0], rstd = stats[1], u_sum = 0, uz_sum = 0;
    for (int64_t j = 0; j < n; j++) {
        double z = (x[j] - mean) * rstd, u = (double)dy[j] * gain[j];
        u_sum += u;
        uz_sum += u * z;
    }
    for (int64_t j = 0; j < n; j++) {
        double z = (x[j] - mean) * rstd, u = (double)dy[j] * gain[j];
        dx[j] += (real)(rstd * (u - u_sum / (double)n - z * uz_sum / (double)n));
    }
}

/* dgain_j += sum over rows of dy_j z_j,  dbias_j += sum over rows of dy_j, for one column j */
static void column_backward(real *dgain, real *dbias, const real *dy, const real *x,
                            const real *stats, int64_t rows, int64_t n)
{
    double gain_sum = 0, bias_sum = 0;
    for (int64_t r = 0; r < rows; r++) {
        double mean = stats[2 * r], rstd = stats[2 * r + 1];
        gain_sum += dy[r * n] * (x[r * n] - mean) * rstd;
        bias_sum += dy[r * n];
    }
    if (dgain)
        *dgain = (real)(*dgain + gain_sum);
    if (dbias)
        *dbias = (real)(*dbias + bias_sum);
}

/* dx is a sum along each row, dgain and dbias are sums along each column. */
void ref_layernorm_backward(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                            const real *stats, const real *gain, int64_t rows, int64_t n)
{
    for (int64_t r = 0; dx && r < rows; r++)
        row_backward(dx + r * n, dy + r * n, x + r * n, stats + 2 * r, gain, n);
    for (int64_t j = 0; (dgain || dbias) && j < n; j++)
        column_backward(dgain ? dgain + j : NULL, dbias ? dbias + j : NULL, dy + j, x + j, stats,
                        rows, n);
}
