/* reduce.c: sum and log-sum-exp along one axis.
 *
 * x is (outer, n, inner), the result (outer, inner). Element c of the result is computed from
 * column c of x: n numbers at a distance of `inner`.
 *
 * Why along any axis and not only the last: the caller has merged the axes before it into `outer`
 * and those after it into `inner`, so that three sizes describe every case. For inner = 1 a column
 * is contiguous. */
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

/* y = m + log sum_j exp(x_j - m) with m the maximum, or 0 where that is infinite: infinity -
 * infinity is NaN. */
void ref_logsumexp(real *y, const real *x, int64_t outer, int64_t n, int64_t inner)
{
    for (int64_t c = 0; c < outer * inner; c++) {
        const real *from = x + column(c, n, inner);
        double m = maximum(from, n, inner), total = 0;
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
