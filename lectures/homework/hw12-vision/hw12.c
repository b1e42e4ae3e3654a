/* hw12.c: pictures as tokens. README.md has the equations, hw12.h the contracts. You may add static
 * functions of your own. */
#include "hw12.h"

/* BEGIN SOLUTION: perhaps a helper: where element e of a patch's row stands in the picture */
static int pixel_of(int patch, int e, Picture p)
{
    int across = p.width / p.side, channel = e / (p.side * p.side);
    int row = patch / across * p.side + e / p.side % p.side;
    int column = patch % across * p.side + e % p.side;
    return (channel * p.height + row) * p.width + column;
}

static int patches_of(Picture p)
{
    return p.height / p.side * (p.width / p.side);
}

static int length_of(Picture p)
{
    return p.channels * p.side * p.side;
}
/* END SOLUTION */

void patchify(real *rows, const real *image, Picture p)
{
    /* BEGIN SOLUTION: copy each pixel to its patch's row */
    int length = length_of(p);
    for (int patch = 0; patch < patches_of(p); patch++)
        for (int e = 0; e < length; e++)
            rows[patch * length + e] = image[pixel_of(patch, e, p)];
    /* END SOLUTION */
}

void unpatchify(real *image, const real *rows, Picture p)
{
    /* BEGIN SOLUTION: copy each element back to its pixel */
    int length = length_of(p);
    for (int patch = 0; patch < patches_of(p); patch++)
        for (int e = 0; e < length; e++)
            image[pixel_of(patch, e, p)] = rows[patch * length + e];
    /* END SOLUTION */
}

void patch_embedding(real *y, const real *image, const real *kernel, const real *bias, Picture p,
                     int d)
{
    /* BEGIN SOLUTION: each patch's row times each kernel, plus the bias */
    int length = length_of(p);
    for (int patch = 0; patch < patches_of(p); patch++)
        for (int k = 0; k < d; k++) {
            double sum = (double)bias[k];
            for (int e = 0; e < length; e++)
                sum += (double)kernel[k * length + e] * (double)image[pixel_of(patch, e, p)];
            y[patch * d + k] = (real)sum;
        }
    /* END SOLUTION */
}

void patch_embedding_backward(real *dimage, real *dkernel, real *dbias, const real *dy,
                              const real *image, const real *kernel, Picture p, int d)
{
    /* BEGIN SOLUTION: for each product of the forward function, both factors' gradients */
    int length = length_of(p);
    for (int patch = 0; patch < patches_of(p); patch++)
        for (int k = 0; k < d; k++) {
            real up = dy[patch * d + k];
            dbias[k] += up;
            for (int e = 0; e < length; e++) {
                int pixel = pixel_of(patch, e, p);
                dkernel[k * length + e] += up * image[pixel];
                dimage[pixel] += up * kernel[k * length + e];
            }
        }
    /* END SOLUTION */
}

void add_class(real *y, const real *x, const real *class_token, const real *positions, int batch,
               int n, int d)
{
    /* BEGIN SOLUTION: token 0 is the class token, token i + 1 is x's token i; each has a
     * position */
    for (int b = 0; b < batch; b++)
        for (int i = 0; i <= n; i++)
            for (int e = 0; e < d; e++) {
                real token = i == 0 ? class_token[e] : x[(b * n + i - 1) * d + e];
                y[(b * (n + 1) + i) * d + e] = token + positions[i * d + e];
            }
    /* END SOLUTION */
}

void add_class_backward(real *dx, real *dclass, real *dpositions, const real *dy, int batch, int n,
                        int d)
{
    /* BEGIN SOLUTION: each token's gradient goes to the token and to its position */
    for (int b = 0; b < batch; b++)
        for (int i = 0; i <= n; i++)
            for (int e = 0; e < d; e++) {
                real up = dy[(b * (n + 1) + i) * d + e];
                dpositions[i * d + e] += up;
                if (i == 0)
                    dclass[e] += up;
                else
                    dx[(b * n + i - 1) * d + e] += up;
            }
    /* END SOLUTION */
}

void mean_pool(real *y, const real *x, int batch, int n, int d, int skip)
{
    /* BEGIN SOLUTION: the mean over tokens skip to n - 1 */
    for (int b = 0; b < batch; b++)
        for (int e = 0; e < d; e++) {
            double sum = 0;
            for (int i = skip; i < n; i++)
                sum += (double)x[(b * n + i) * d + e];
            y[b * d + e] = (real)(sum / (n - skip));
        }
    /* END SOLUTION */
}

void roll(real *y, const real *x, int rows, int columns, int d, int shift)
{
    /* BEGIN SOLUTION: y at (r, c) is x at (r + shift, c + shift), modulo the sizes */
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int from = (r + shift) % rows * columns + (c + shift) % columns;
            for (int e = 0; e < d; e++)
                y[(r * columns + c) * d + e] = x[from * d + e];
        }
    /* END SOLUTION */
}

void windows(real *y, const real *x, int rows, int columns, int d, int side)
{
    /* BEGIN SOLUTION: copy each token to its window and its place there */
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int window = r / side * (columns / side) + c / side;
            int inside = r % side * side + c % side;
            for (int e = 0; e < d; e++)
                y[(window * side * side + inside) * d + e] = x[(r * columns + c) * d + e];
        }
    /* END SOLUTION */
}

void shifted_mask(int *keep, int rows, int columns, int side, int shift)
{
    /* BEGIN SOLUTION: a token was moved to the other side if its row (column) is at least rows
     * (columns) - shift; compare these two facts for both tokens */
    int across = columns / side, n = side * side;
    for (int window = 0; window < rows / side * across; window++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int top = window / across * side, left = window % across * side;
                int down_i = top + i / side >= rows - shift;
                int down_j = top + j / side >= rows - shift;
                int right_i = left + i % side >= columns - shift;
                int right_j = left + j % side >= columns - shift;
                keep[(window * n + i) * n + j] = down_i == down_j && right_i == right_j;
            }
    /* END SOLUTION */
}
