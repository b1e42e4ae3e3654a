/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right. exercises_media.c has those of row 51.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 48:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "examples/vit/model.h"
#include "lectures/07-vision/exercises.h"

#include <stdlib.h>

/* ---- row 48: pictures from patches ----------------------------------------------------------- */

/* Now: the numbers of patches (B, grid^2, n^2) of n x n pixels in the order in which they come.
 * Change it: the pictures (B, 1, grid n, grid n) from which vit_patches cut them. */
static Tensor *assembled(Tensor *patches, int grid, int n)
{
    int64_t B = patches->shape.dim[0];
    return ag_reshape(patches, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

static double assembled_right(Trial *t)
{
    enum { GRID = 3, N = 4 };
    const Model cut = {.config = {.side = GRID * N, .colours = 1, .patch = N}};
    Tensor *x = trial_normal(t, 4890, shape4(2, 1, GRID * N, GRID * N));
    Tensor *patches = vit_patches(&cut, x);
    Tensor *y = TRIED(t, assembled, assembled_solved, assembled_wrong_pixels,
                      assembled_wrong_patches)(patches, GRID, N);
    double off = values_difference(x, y);
    explain(t, "2 pictures of %d x %d, cut into patches of %d x %d and assembled: off by %.2g",
            GRID * N, GRID * N, N, N, off);
    return off;
}

/* ---- row 50: a bias for each displacement ---------------------------------------------------- */

/* Swin adds to the score of query i and key j of a window of M x M tokens a learned bias that
 * depends on where j lies as seen from i, and on nothing else. Now: a number for each pair, M^4 of
 * them. Change it: for each displacement (rows down, columns right), -M < rows, columns < M,
 * another number, from 0 to (2 M - 1)^2 - 1. */
static int relative_bias(int i, int j, int M)
{
    return i * M * M + j;
}

/* Every two pairs of a window: have they one number exactly if they have one displacement? */
static double relative_bias_right(Trial *t)
{
    enum { M = 4, TOKENS = M * M, PAIRS = TOKENS * TOKENS, ALL = (2 * M - 1) * (2 * M - 1) };
    int number[PAIRS], outside = 0, wrong = 0;
    for (int a = 0; a < PAIRS; a++) {
        int i = a / TOKENS, j = a % TOKENS;
        number[a] = TRIED(t, relative_bias, relative_bias_solved, relative_bias_wrong_unsigned,
                          relative_bias_wrong_narrow, relative_bias_wrong_difference)(i, j, M);
        outside += number[a] < 0 || number[a] >= ALL;
        for (int b = 0; b < a; b++) {
            int k = b / TOKENS, l = b % TOKENS;
            bool alike = j / M - i / M == l / M - k / M && j % M - i % M == l % M - k % M;
            wrong += alike != (number[a] == number[b]);
        }
    }
    explain(t, "%d pairs of %d tokens: %d numbers outside 0 to %d, %d wrong comparisons", PAIRS,
            TOKENS, outside, ALL - 1, wrong);
    return outside + wrong;
}

const Claim vision_exercises[] = {
    EXERCISE(48, "assembled: the pictures that were cut into patches",
             "J: Transformer Encoder for Image Classification", "max |assembled - picture|", 0,
             "the numbers are moved, and none is computed", assembled_right,
             {"pixels", "the pixels of a patch column by column"},
             {"patches", "the patches column by column"}),
    EXERCISE(50, "relative_bias: a number for each displacement",
             "V: Next Two Lectures: Iterations of Transformers",
             "numbers outside the table, and pairs that share one wrongly or do not, M = 4", 0,
             "each displacement has a number of its own", relative_bias_right,
             {"unsigned", "rows and columns without their sign"},
             {"narrow", "a table of M columns"},
             {"difference", "j - i, which two displacements share"}),
    {0},
};
