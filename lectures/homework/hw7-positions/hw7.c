/* hw7.c: positions. README.md has the equations, hw7.h the contracts. You may add static functions
 * of your own. */
#include "hw7.h"

#include <math.h>
#include <stdlib.h>

/* ---- 1. sinusoids ---------------------------------------------------------------------------- */

void sinusoids(real *table, int t, int d, real base)
{
    /* BEGIN SOLUTION: sin(p omega_i) in channel 2i and cos(p omega_i) in channel 2i + 1 */
    for (int p = 0; p < t; p++)
        for (int i = 0; i < d / 2; i++) {
            double angle = p / pow(base, 2.0 * i / d);
            table[p * d + 2 * i] = (real)sin(angle);
            table[p * d + 2 * i + 1] = (real)cos(angle);
        }
    /* END SOLUTION */
}

/* ---- 2. the rotation ------------------------------------------------------------------------- */

void rotation(real *r, int k, int d, real base)
{
    /* BEGIN SOLUTION: zeros, and for each pair a block of 2 rows and 2 columns on the diagonal */
    for (int e = 0; e < d * d; e++)
        r[e] = 0;
    for (int i = 0; i < d; i += 2) {
        double turn = k * pow(base, -(double)i / d);
        real *block = r + i * d + i;
        block[0] = (real)cos(turn);
        block[1] = (real)sin(turn);
        block[d] = (real)-sin(turn);
        block[d + 1] = (real)cos(turn);
    }
    /* END SOLUTION */
}

void shift_codes(real *y, const real *x, int k, int t, int d, real base)
{
    /* BEGIN SOLUTION: y_pi is the sum over j of (R_k)_ij x_pj; or only the two terms that are not
     * 0 */
    real *r = malloc(sizeof(real) * (size_t)(d * d));
    rotation(r, k, d, base);
    for (int p = 0; p < t; p++)
        for (int i = 0; i < d; i++) {
            double sum = 0;
            for (int j = 0; j < d; j++)
                sum += (double)r[i * d + j] * x[p * d + j];
            y[p * d + i] = (real)sum;
        }
    free(r);
    /* END SOLUTION */
}

/* ---- 3. rotary positions --------------------------------------------------------------------- */

void rotary(real *y, const real *x, const int *position, int heads, int t, int d, real base)
{
    /* BEGIN SOLUTION: rotate each pair (x_2i, x_2i+1) by the angle position omega_i */
    for (int row = 0; row < heads * t; row++)
        for (int i = 0; i < d; i += 2) {
            double angle = position[row % t] / pow(base, (double)i / d);
            double c = cos(angle), s = sin(angle);
            double x0 = x[row * d + i], x1 = x[row * d + i + 1];
            y[row * d + i] = (real)(c * x0 - s * x1);
            y[row * d + i + 1] = (real)(s * x0 + c * x1);
        }
    /* END SOLUTION */
}

void rotary_backward(real *dx, const real *dy, const int *position, int heads, int t, int d,
                     real base)
{
    /* BEGIN SOLUTION: add the pairs of dy, each rotated back by the same angle */
    for (int row = 0; row < heads * t; row++)
        for (int i = 0; i < d; i += 2) {
            double theta = position[row % t] / pow(base, (double)i / d);
            double c = cos(theta), s = sin(theta);
            double up0 = dy[row * d + i], up1 = dy[row * d + i + 1];
            dx[row * d + i] += (real)(c * up0 + s * up1);
            dx[row * d + i + 1] += (real)(c * up1 - s * up0);
        }
    /* END SOLUTION */
}

/* ---- 4. learned positions -------------------------------------------------------------------- */

void add_learned(real *y, const real *x, const real *table, int batch, int t, int positions, int d)
{
    /* BEGIN SOLUTION: y_bpe = x_bpe + table_pe */
    (void)positions;
    for (int b = 0; b < batch; b++)
        for (int p = 0; p < t; p++)
            for (int e = 0; e < d; e++)
                y[(b * t + p) * d + e] = x[(b * t + p) * d + e] + table[p * d + e];
    /* END SOLUTION */
}

void add_learned_backward(real *dx, real *dtable, const real *dy, int batch, int t, int positions,
                          int d)
{
    /* BEGIN SOLUTION: dx gets dy; row p of dtable gets the dy of token p of all sentences */
    (void)positions;
    for (int b = 0; b < batch; b++)
        for (int p = 0; p < t; p++)
            for (int e = 0; e < d; e++) {
                real up = dy[(b * t + p) * d + e];
                dx[(b * t + p) * d + e] += up;
                dtable[p * d + e] += up;
            }
    /* END SOLUTION */
}

/* ---- 5. equivariance ------------------------------------------------------------------------- */

void permute_rows(real *y, const real *x, const int *order, int t, int d)
{
    /* BEGIN SOLUTION: row i of y is row order[i] of x */
    for (int i = 0; i < t; i++)
        for (int e = 0; e < d; e++)
            y[i * d + e] = x[order[i] * d + e];
    /* END SOLUTION */
}

real equivariance_error(Layer *f, const real *w, const real *x, const int *order, int t, int d)
{
    /* BEGIN SOLUTION: permute x and apply f; apply f to x and permute; the largest difference */
    int n = t * d;
    real *px = malloc(sizeof(real) * (size_t)(4 * n)), *fpx = px + n, *fx = fpx + n, *pfx = fx + n;
    permute_rows(px, x, order, t, d);
    f(fpx, px, t, d, w);
    f(fx, x, t, d, w);
    permute_rows(pfx, fx, order, t, d);
    double largest = 0;
    for (int e = 0; e < n; e++)
        largest = fmax(largest, fabs((double)fpx[e] - pfx[e]));
    free(px);
    return (real)largest;
    /* END SOLUTION */
}
