/* losses.c: cross-entropy of logits (rows, n) with its label smoothing, and the losses of two
 * arrays of n numbers.
 *
 * The gradient of each loss stands directly after it. dy is the gradient of the loss itself, a
 * single number; for cross-entropy it is contained in alpha, together with the division by the
 * number of rows that count. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* loss = log sum_j exp(x_j) - x_target. The row's maximum and the logarithm of sum_j exp(x_j - max)
 * stay apart: added up and rounded to one real they would lose |max| 2^-24, which backward would
 * find in every probability. */
void ref_cross_entropy(real *losses, real *stats, const real *x, const int32_t *target,
                       int32_t ignore, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n) {
        double max = maximum(x, n, 1), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - max);
        stats[2 * r] = (real)max;
        stats[2 * r + 1] = (real)log(total);
        losses[r] = target[r] == ignore ? 0 : (real)(log(total) - (x[target[r]] - max));
    }
}

/* dx_j += alpha (p_j - [j == target]),  p_j = exp((x_j - max) - log sum); = where nothing is added
 * to */
void ref_cross_entropy_backward(real *dx, real alpha, const real *x, const real *stats,
                                const int32_t *target, int32_t ignore, int64_t rows, int64_t n,
                                bool add)
{
    for (int64_t r = 0; r < rows; r++, x += n, dx += n) {
        double max = stats[2 * r], log_sum = stats[2 * r + 1];
        for (int64_t j = 0; j < n; j++) {
            real before = add ? dx[j] : 0;
            double p = exp(x[j] - max - log_sum);
            dx[j] = target[r] == ignore ? before : before + (real)(alpha * (p - (j == target[r])));
        }
    }
}

/* Label smoothing e. The target distribution is q_j = (1 - e) [j = target] + e / n, and the loss
 *   -sum_j q_j log p_j
 * is the one without smoothing plus e (x_target - mean x), since the q_j add up to 1 with any e. */
void ref_smooth(real *losses, const real *x, const int32_t *target, int32_t ignore, real e,
                int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n) {
        if (target[r] == ignore)
            continue;
        double mean = 0;
        for (int64_t j = 0; j < n; j++)
            mean += x[j] / (double)n;
        losses[r] += (real)(e * (x[target[r]] - mean));
    }
}

/* dx_j += alpha e ([j == target] - 1 / n) */
void ref_smooth_backward(real *dx, real alpha, const int32_t *target, int32_t ignore, real e,
                         int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, dx += n) {
        if (target[r] == ignore)
            continue;
        for (int64_t j = 0; j < n; j++)
            dx[j] += alpha * e * ((real)(j == target[r]) - 1 / (real)n);
    }
}

/* y = mean_i (a_i - b_i)^2 */
void ref_mse(real *y, const real *a, const real *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    *y = (real)(sum / (double)n);
}

/* da_i += 2 dy (a_i - b_i) / n, and db_i the negative of that */
void ref_mse_backward(real *da, real *db, real dy, const real *a, const real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        real g = 2 * dy * (a[i] - b[i]) / (real)n;
        if (da)
            da[i] += g;
        if (db)
            db[i] -= g;
    }
}

/* -t log s - (1 - t) log (1 - s) with s = 1 / (1 + e^-x) is
 *   log(1 + e^x) - x t  =  max(x, 0) - x t + log(1 + e^-|x|)
 * and no exp in the last form overflows. */
void ref_bce(real *y, const real *x, const real *t, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = x[i];
        sum += (v < 0 ? 0 : v) - v * t[i] + log1p(exp(-fabs(v)));
    }
    *y = (real)(sum / (double)n);
}

/* dx = dy (s - t) / n with s = 1 / (1 + e^-x), written as (1 - t) s - t (1 - s): where s is near t
 * = 1, the difference s - t would lose digits that 1 - s = 1 / (1 + e^x) has. */
void ref_bce_backward(real *dx, real *dt, real dy, const real *x, const real *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], s = 1 / (1 + exp(-v)), rest = 1 / (1 + exp(v));
        if (dx)
            dx[i] += (real)(dy * ((1 - (double)t[i]) * s - t[i] * rest) / (double)n);
        if (dt)
            dt[i] -= dy * x[i] / (real)n;
    }
}

/* KL(N(m, e^v) || N(0, 1)) = sum_i (m_i^2 + e^v_i - 1 - v_i) / 2. Kingma and Welling (2014),
 * appendix B */
void ref_gaussian_kl(real *y, const real *mean, const real *log_variance, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double m = mean[i], v = log_variance[i];
        sum += m * m + expm1(v) - v;
    }
    *y = (real)(sum / 2);
}

/* dm_i += dy m_i,  dv_i += dy (e^v_i - 1) / 2 */
void ref_gaussian_kl_backward(real *dmean, real *dlog_variance, real dy, const real *mean,
                              const real *log_variance, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (dmean)
            dmean[i] += dy * mean[i];
        if (dlog_variance)
            dlog_variance[i] += (real)(dy * expm1((double)log_variance[i]) / 2);
    }
}
