/* softmax.c: softmax and log-softmax along rows, x (rows, n) -> y (rows, n), and softmax under a
 * mask.
 *
 * The row's maximum is subtracted first: exp never overflows, and the largest term is exactly 1. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>

/* y_j = exp(x_j - max x) / sum_k exp(x_k - max x)
 * Two passes after the maximum: the sum, then each share of it. */
void ref_softmax(real *y, const real *x, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        double m = maximum(x, n, 1), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - m);
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)(exp(x[j] - m) / total);
    }
}

/* dx_j += y_j (dy_j - sum_k dy_k y_k)
 * From dy_j/dx_k = y_j ([j = k] - y_k). */
void ref_softmax_backward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double dot = 0;
        for (int64_t j = 0; j < n; j++)
            dot += (double)dy[j] * y[j];
        for (int64_t j = 0; j < n; j++)
            dx[j] += (real)(y[j] * (dy[j] - dot));
    }
}

/* y_j = x_j - max x - log sum_k exp(x_k - max x)
 * The logarithm is taken of the sum, not of a probability, which may have been rounded to 0. */
void ref_log_softmax(real *y, const real *x, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        double m = maximum(x, n, 1), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - m);
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)(x[j] - m - log(total));
    }
}

/* dx_j += dy_j - exp(y_j) sum_k dy_k. As in PyTorch, what rounding y to one real lost is lost here
 * as well: cross-entropy, which keeps the maximum and the logarithm apart, has the more exact
 * gradient. */
void ref_log_softmax_backward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double total = 0;
        for (int64_t j = 0; j < n; j++)
            total += dy[j];
        for (int64_t j = 0; j < n; j++)
            dx[j] += (real)(dy[j] - exp(y[j]) * total);
    }
}

/* As softmax, over the keys that query i may see; the weight of any other key is exactly 0,
 * whatever its score. x (matrices, T, S) -> y. A row in which no key is seen, or every seen score
 * is -infinity, becomes 0. */
void ref_masked_softmax(real *y, const real *x, const KernelMask *mask, int64_t matrices, int64_t T,
                        int64_t S)
{
    for (int64_t row = 0; row < matrices * T; row++, x += S, y += S) {
        int64_t z = row / T, i = row % T;
        double max = -INFINITY, total = 0;
        for (int64_t j = 0; j < S; j++)
            if (mask_keeps(mask, z, i, j, T, S) && (x[j] > max || isnan(x[j])))
                max = x[j];
        double shift = max == -INFINITY ? 0 : max; /* -infinity - -infinity would be NaN */
        for (int64_t j = 0; j < S; j++)
            total += mask_keeps(mask, z, i, j, T, S) ? exp(x[j] - shift) : 0;
        for (int64_t j = 0; j < S; j++)
            y[j] = total != 0 && mask_keeps(mask, z, i, j, T, S) ? (real)(exp(x[j] - shift) / total)
                                                                 : 0;
    }
}
