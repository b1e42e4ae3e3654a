/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. solutions_media.c has those of row 51. */
#include "lectures/07-vision/exercises.h"

#include <stdlib.h>

/* ---- row 48: pictures from patches ----------------------------------------------------------- */

Tensor *assembled_solved(Tensor *patches, int grid, int n)
{
    int64_t B = patches->shape.dim[0];
    const Shape cut = SHAPE(B, grid, grid, n, n);
    static const int rows_together[] = {0, 1, 3, 2, 4}; /* (B, grid, n, grid, n) */
    Tensor *x = ag_permute(ag_reshape(patches, cut), rows_together);
    return ag_reshape(x, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

/* Axes (B, grid, grid, n, n) in this order, as pictures. */
static Tensor *assembled_by(Tensor *patches, int grid, int n, const int order[5])
{
    int64_t B = patches->shape.dim[0];
    const Shape cut = SHAPE(B, grid, grid, n, n);
    Tensor *x = ag_permute(ag_reshape(patches, cut), order);
    return ag_reshape(x, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

Tensor *assembled_wrong_pixels(Tensor *patches, int grid, int n)
{
    return assembled_by(patches, grid, n, (int[]){0, 1, 4, 2, 3});
}

Tensor *assembled_wrong_patches(Tensor *patches, int grid, int n)
{
    return assembled_by(patches, grid, n, (int[]){0, 2, 3, 1, 4});
}

/* ---- row 50: a bias for each displacement ---------------------------------------------------- */

int relative_bias_solved(int i, int j, int M)
{
    int down = j / M - i / M, right = j % M - i % M;
    return (down + M - 1) * (2 * M - 1) + right + M - 1;
}

int relative_bias_wrong_unsigned(int i, int j, int M)
{
    return abs(j / M - i / M) * (2 * M - 1) + abs(j % M - i % M);
}

int relative_bias_wrong_narrow(int i, int j, int M)
{
    int down = j / M - i / M, right = j % M - i % M;
    return (down + M - 1) * M + right + M - 1;
}

int relative_bias_wrong_difference(int i, int j, int M)
{
    return j - i + M * M - 1;
}
