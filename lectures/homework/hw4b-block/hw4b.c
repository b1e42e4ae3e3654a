/* hw4b.c: the transformer block. README.md has the equations, hw4b.h the contracts. You may add
 * static functions. */
#include "hw4b.h"

#include <stdlib.h>

/* ---- 1. dropout ------------------------------------------------------------------------------ */

void dropout(real *y, const real *x, const real *u, int n, real p, int training)
{
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
    /* BEGIN SOLUTION: dropped elements get no gradient, kept ones get dy_i / (1 - p) */
    for (int i = 0; i < n; i++) {
        if (!training)
            dx[i] += dy[i];
        else if (u[i] >= p)
            dx[i] += dy[i] / (1 - p);
    }
    /* END SOLUTION */
}

/* ---- 2. two blocks --------------------------------------------------------------------------- */

void pre_norm_block(real *y, const real *x, const Block *b, int t, int c)
{
    /* BEGIN SOLUTION: h = x + attend(norm1(x)), y = h + feed(norm2(h)) */
    int size = t * c;
    real *scratch = malloc(sizeof(real) * 3 * (size_t)size);
    if (!scratch)
        return;
    real *normed = scratch, *branch = scratch + size, *h = scratch + 2 * size;
    b->norm(normed, x, b->gamma1, b->beta1, t, c, b->eps);
    b->attend(branch, normed, t, c, b->w_attend);
    for (int i = 0; i < size; i++)
        h[i] = x[i] + branch[i];
    b->norm(normed, h, b->gamma2, b->beta2, t, c, b->eps);
    b->feed(branch, normed, t, c, b->w_feed);
    for (int i = 0; i < size; i++)
        y[i] = h[i] + branch[i];
    free(scratch);
    /* END SOLUTION */
}

void post_norm_block(real *y, const real *x, const Block *b, int t, int c)
{
    /* BEGIN SOLUTION: h = norm1(x + attend(x)), y = norm2(h + feed(h)) */
    int size = t * c;
    real *scratch = malloc(sizeof(real) * 2 * (size_t)size);
    if (!scratch)
        return;
    real *sum = scratch, *h = scratch + size;
    b->attend(sum, x, t, c, b->w_attend);
    for (int i = 0; i < size; i++)
        sum[i] += x[i];
    b->norm(h, sum, b->gamma1, b->beta1, t, c, b->eps);
    b->feed(sum, h, t, c, b->w_feed);
    for (int i = 0; i < size; i++)
        sum[i] += h[i];
    b->norm(y, sum, b->gamma2, b->beta2, t, c, b->eps);
    free(scratch);
    /* END SOLUTION */
}

/* ---- 3. parameters --------------------------------------------------------------------------- */

long count_parameters(int vocabulary, int positions, int c, int heads, int f, int layers, int tied)
{
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
}
