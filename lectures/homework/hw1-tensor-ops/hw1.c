/* hw1.c: tensor operations, forward and backward. README.md has the equations, hw1.h the contracts.
 *
 * You may add static functions of your own. */
#include "hw1.h"

#include <math.h>

/* ---- 1. matrix multiplication ---------------------------------------------------------------- */

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    /* BEGIN SOLUTION: c_ij = sum over p of a_ip b_pj */
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (double)a[i * k + p] * b[p * n + j];
            c[i * n + j] = (real)sum;
        }
    /* END SOLUTION */
}

void matmul_backward(real *da, real *db, const real *dc, const real *a, const real *b, int m, int k,
                     int n)
{
    /* BEGIN SOLUTION: add dC B^T to da, and A^T dC to db */
    for (int i = 0; i < m; i++)
        for (int p = 0; p < k; p++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (double)dc[i * n + j] * b[p * n + j];
            da[i * k + p] += (real)sum;
        }
    for (int p = 0; p < k; p++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < m; i++)
                sum += (double)a[i * k + p] * dc[i * n + j];
            db[p * n + j] += (real)sum;
        }
    /* END SOLUTION */
}

/* ---- 2. addition with broadcasting ----------------------------------------------------------- */

void add(real *y, const real *a, int ar, int ac, const real *b, int br, int bc)
{
    /* BEGIN SOLUTION: along an axis of size 1 the index stays 0 */
    int rows = ar > br ? ar : br, cols = ac > bc ? ac : bc;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            real left = a[(ar == 1 ? 0 : i) * ac + (ac == 1 ? 0 : j)];
            real right = b[(br == 1 ? 0 : i) * bc + (bc == 1 ? 0 : j)];
            y[i * cols + j] = left + right;
        }
    /* END SOLUTION */
}

void add_backward(real *da, int ar, int ac, real *db, int br, int bc, const real *dy)
{
    /* BEGIN SOLUTION: an element that was used several times gets the sum of all its gradients */
    int rows = ar > br ? ar : br, cols = ac > bc ? ac : bc;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            da[(ar == 1 ? 0 : i) * ac + (ac == 1 ? 0 : j)] += dy[i * cols + j];
            db[(br == 1 ? 0 : i) * bc + (bc == 1 ? 0 : j)] += dy[i * cols + j];
        }
    /* END SOLUTION */
}

/* ---- 3. softmax ------------------------------------------------------------------------------ */

void softmax(real *y, const real *x, int rows, int n)
{
    /* BEGIN SOLUTION: y_ij = exp(x_ij - max) / sum over j of exp(x_ij - max), row by row */
    for (int i = 0; i < rows; i++, x += n, y += n) {
        real top = x[0];
        for (int j = 1; j < n; j++)
            top = x[j] > top ? x[j] : top;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += exp((double)(x[j] - top));
        for (int j = 0; j < n; j++)
            y[j] = (real)(exp((double)(x[j] - top)) / sum);
    }
    /* END SOLUTION */
}

void softmax_backward(real *dx, const real *dy, const real *y, int rows, int n)
{
    /* BEGIN SOLUTION: add y_j (dy_j - sum over k of dy_k y_k) to dx_j, row by row */
    for (int i = 0; i < rows; i++, dx += n, dy += n, y += n) {
        double dot = 0;
        for (int j = 0; j < n; j++)
            dot += (double)dy[j] * y[j];
        for (int j = 0; j < n; j++)
            dx[j] += (real)(y[j] * (dy[j] - dot));
    }
    /* END SOLUTION */
}

/* ---- 4. log-sum-exp -------------------------------------------------------------------------- */

void logsumexp(real *y, const real *x, int rows, int n)
{
    /* BEGIN SOLUTION: y_i = max + log of the sum over j of exp(x_ij - max) */
    for (int i = 0; i < rows; i++, x += n) {
        real top = x[0];
        for (int j = 1; j < n; j++)
            top = x[j] > top ? x[j] : top;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += exp((double)(x[j] - top));
        y[i] = (real)(top + log(sum));
    }
    /* END SOLUTION */
}

void logsumexp_backward(real *dx, const real *dy, const real *x, int rows, int n)
{
    /* BEGIN SOLUTION: the derivative is the softmax: add dy_i softmax(x)_ij to dx_ij */
    for (int i = 0; i < rows; i++) {
        real y;
        logsumexp(&y, x + i * n, 1, n);
        for (int j = 0; j < n; j++)
            dx[i * n + j] += (real)(dy[i] * exp((double)(x[i * n + j] - y)));
    }
    /* END SOLUTION */
}
