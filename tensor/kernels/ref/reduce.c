/* reduce.c: sum, variance, maximum, log-sum-exp and running sum along one axis.
 *
 * x is (outer, n, inner), the result (outer, inner). Element c of the result is computed from column c of x: n numbers
 * at a distance of `inner`.
 *
 * Why along any axis and not only the last: the caller has merged the axes before it into `outer` and those
 * after it into `inner`, so that three sizes describe every case. For inner = 1 a column is contiguous. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* The offset of column c. */
static int64_t column(int64_t c, int64_t n, int64_t inner)
{
    return c / inner * n * inner + c % inner;
}

/* y = alpha sum_j x_j */
void ref_sum(real *y, const real *x, real alpha, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        const real *from = x + column(c, n, inner);
        double total = 0;
        for (int64_t j = 0; j < n; j++)
            total += from[j * inner];
        y[c] = (real)(alpha * total);
    }
}

/* dx_j += alpha dy */
void ref_sum_backward(real *dx, const real *dy, real alpha, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < inner; i++)
                dx[(o * n + j) * inner + i] += alpha * dy[o * inner + i];
}

/* sum_i x_i^2 */
double ref_squares(const real *x, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += (double)x[i] * (double)x[i];
    return total;
}

/* y_j += alpha sum_i x_ij.   x (rows, n) */
void ref_add_rows(real *y, real alpha, const real *x, int64_t rows, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        double total = 0;
        for (int64_t i = 0; i < rows; i++)
            total += x[i * n + j];
        y[j] += (real)(alpha * total);
    }
}

/* The mean of n numbers that are `stride` apart. */
static double mean_of(const real *x, int64_t n, int64_t stride)
{
    double total = 0;
    for (int64_t j = 0; j < n; j++)
        total += x[j * stride];
    return total / (double)n;
}

/* The divisor of the sum of squares; 0, which makes the variance NaN, where there are too few numbers. */
static double divisor(int64_t n, bool unbiased)
{
    return n > 0 && unbiased ? (double)n - 1 : (double)n;
}

/* y = sum_j (x_j - mean)^2 / (n - 1 or n) */
void ref_variance(real *y, const real *x, bool unbiased, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        const real *from = x + column(c, n, inner);
        double mean = mean_of(from, n, inner), squares = 0;
        for (int64_t j = 0; j < n; j++)
            squares += (from[j * inner] - mean) * (from[j * inner] - mean);
        y[c] = (real)(squares / divisor(n, unbiased));
    }
}

/* dy/dx_j = 2 (x_j - mean) / (n - 1 or n); the derivative through the mean is 0, since sum_j (x_j - mean) is. */
void ref_variance_backward(real *dx, const real *dy, const real *x, bool unbiased, int64_t outer,
                           int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        int64_t at = column(c, n, inner);
        double mean = mean_of(x + at, n, inner), scale = 2 / divisor(n, unbiased) * dy[c];
        for (int64_t j = 0; j < n; j++)
            dx[at + j * inner] += (real)(scale * (x[at + j * inner] - mean));
    }
}

/* The index of the first maximum, or of the first NaN; n >= 1. */
static int64_t first_max(const real *x, int64_t n, int64_t stride)
{
    int64_t best = 0;
    for (int64_t j = 1; j < n && !isnan(x[best * stride]); j++)
        if (x[j * stride] > x[best * stride] || isnan(x[j * stride]))
            best = j;
    return best;
}

/* y = max_j x_j */
void ref_max(real *y, const real *x, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        const real *from = x + column(c, n, inner);
        y[c] = from[first_max(from, n, inner) * inner];
    }
}

/* The first maximum receives dy. */
void ref_max_backward(real *dx, const real *dy, const real *x, int64_t outer, int64_t n,
                      int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        int64_t at = column(c, n, inner);
        dx[at + first_max(x + at, n, inner) * inner] += dy[c];
    }
}

/* y = m + log sum_j exp(x_j - m) with m the maximum, or 0 where that is infinite: infinity - infinity is NaN. */
void ref_logsumexp(real *y, const real *x, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        const real *from = x + column(c, n, inner);
        double m = n > 0 ? from[first_max(from, n, inner) * inner] : 0, total = 0;
        if (isinf(m))
            m = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(from[j * inner] - m);
        y[c] = (real)(m + log(total));
    }
}

/* dy/dx_j = exp(x_j - y), the softmax; 0 where every x is -infinity. */
void ref_logsumexp_backward(real *dx, const real *dy, const real *x, const real *y, int64_t outer,
                            int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        int64_t at = column(c, n, inner);
        for (int64_t j = 0; j < n && y[c] != -INFINITY; j++)
            dx[at + j * inner] += (real)(dy[c] * exp((double)x[at + j * inner] - y[c]));
    }
}

/* y_j = x_0 + ... + x_j */
void ref_cumsum(real *y, const real *x, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        int64_t at = column(c, n, inner);
        double total = 0;
        for (int64_t j = 0; j < n; j++, at += inner) {
            total += x[at];
            y[at] = (real)total;
        }
    }
}

/* dx_j += dy_j + ... + dy_(n-1): x_j is a term of y_j and of all later ones. */
void ref_cumsum_backward(real *dx, const real *dy, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        int64_t at = column(c, n, inner);
        double total = 0;
        for (int64_t j = n - 1; j >= 0; j--) {
            total += dy[at + j * inner];
            dx[at + j * inner] += (real)total;
        }
    }
}
