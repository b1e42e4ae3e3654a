/* hw3.c: attention. README.md has the equations, hw3.h the contracts. You may add static functions
 * of your own. */
#include "hw3.h"

#include <math.h>

/* ---- 1. masks -------------------------------------------------------------------------------- */

void make_keep(int *keep, int n, int m, int causal, int length)
{
    /* BEGIN SOLUTION: 1 where j < length and, if causal, j <= i + m - n */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int token = j < length;
            int past = !causal || j <= i + m - n;
            keep[i * m + j] = token && past;
        }
    /* END SOLUTION */
}

/* ---- 2. weights ------------------------------------------------------------------------------ */

void attention_weights(real *a, const real *q, const real *k, const int *keep, int batch, int n,
                       int m, int d)
{
    /* BEGIN SOLUTION: row by row: scores, -infinity where not kept, softmax with the largest
     * subtracted */
    double scale = 1 / sqrt((double)d);
    for (int r = 0; r < batch * n; r++) {
        const real *query = q + r * d, *keys = k + r / n * m * d;
        const int *kept = keep ? keep + r % n * m : NULL;
        real *row = a + r * m;
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < m; j++) {
            double score = 0;
            for (int e = 0; e < d; e++)
                score += (double)query[e] * keys[j * d + e];
            row[j] = (real)(score * scale);
            if (kept && !kept[j])
                row[j] = -(real)INFINITY;
            top = row[j] > top ? row[j] : top;
        }
        for (int j = 0; j < m; j++)
            sum += exp(row[j] - top);
        for (int j = 0; j < m; j++)
            row[j] = top == -INFINITY ? 0 : (real)(exp(row[j] - top) / sum);
    }
    /* END SOLUTION */
}

/* ---- 3. the weighted sum --------------------------------------------------------------------- */

void attend(real *y, const real *a, const real *v, int batch, int n, int m, int d)
{
    /* BEGIN SOLUTION: row i of y is the sum over j of a_ij times row j of v */
    for (int b = 0; b < batch; b++, y += n * d, a += n * m, v += m * d)
        for (int i = 0; i < n; i++)
            for (int e = 0; e < d; e++) {
                double sum = 0;
                for (int j = 0; j < m; j++)
                    sum += (double)a[i * m + j] * v[j * d + e];
                y[i * d + e] = (real)sum;
            }
    /* END SOLUTION */
}

/* ---- 4. backward ----------------------------------------------------------------------------- */

/* BEGIN SOLUTION: perhaps a helper for what you need twice, such as a dot product */
static double dot(const real *x, const real *y, int d)
{
    double sum = 0;
    for (int e = 0; e < d; e++)
        sum += (double)x[e] * y[e];
    return sum;
}
/* END SOLUTION */

void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a, const real *q,
                        const real *k, const real *v, int batch, int n, int m, int d)
{
    /* BEGIN SOLUTION: dV = A^T dY; dA = dY V^T; dS by softmax's backward, times 1 / sqrt(d); dQ,
     * dK */
    double factor = 1 / sqrt((double)d);
    for (int r = 0; r < batch * n; r++) {
        const real *up = dy + r * d, *weight = a + r * m;
        const real *keys = k + r / n * m * d, *values = v + r / n * m * d;
        real *key_grads = dk + r / n * m * d, *value_grads = dv + r / n * m * d;
        double mean = 0;
        for (int j = 0; j < m; j++)
            mean += weight[j] * dot(up, values + j * d, d);
        for (int j = 0; j < m; j++) {
            double da = dot(up, values + j * d, d);
            double ds = weight[j] * (da - mean);
            for (int e = 0; e < d; e++) {
                value_grads[j * d + e] += weight[j] * up[e];
                dq[r * d + e] += (real)(ds * factor * keys[j * d + e]);
                key_grads[j * d + e] += (real)(ds * factor * q[r * d + e]);
            }
        }
    }
    /* END SOLUTION */
}
