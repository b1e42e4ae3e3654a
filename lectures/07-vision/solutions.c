/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/07-vision/exercises.h"

#include "examples/common/kmeans.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- row 51: residual codes ------------------------------------------------------------------ */

/* The residual codes with this sign of the centres, and the centres of one stage in all or of each
 * in each. */
static void codes_with(const Codec *c, const real v[NUMBERS], int codes[STAGES], int sign,
                       bool one_book)
{
    real rest[NUMBERS];
    memcpy(rest, v, sizeof rest);
    for (int s = 0; s < STAGES; s++) {
        const real *centres = c->centres[one_book ? 0 : s]->data;
        codes[s] = kmeans_nearest(centres, CENTRES, rest, NUMBERS);
        for (int d = 0; d < NUMBERS; d++)
            rest[d] -= (real)sign * centres[codes[s] * NUMBERS + d];
    }
}

void codes_of_solved(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, 1, false);
}

void codes_of_wrong_one_book(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, 1, true);
}

void codes_of_wrong_sum(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, -1, false);
}
