/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so their claims FAIL;
 * `--try 48:solved` measures a solution instead of the function. */
#include "examples/vit/model.h"
#include "lectures/07-vision/vision.h"

/* ---- row 48: pictures from patches -------------------------------------------------------------------------- */

/* Now: the numbers of patches (B, grid^2, n^2) of n x n pixels in the order in which they come. Change it: the pictures
 * (B, 1, grid n, grid n) from which vit_patches cut them. */
static Tensor *assembled(Tensor *patches, int grid, int n)
{
    int64_t B = patches->shape.dim[0];
    return ag_reshape(patches, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

static Tensor *assembled_solved(Tensor *patches, int grid, int n)
{
    int64_t B = patches->shape.dim[0];
    const Shape cut = SHAPE(B, grid, grid, n, n);
    static const int rows_together[] = {0, 1, 3, 2, 4}; /* (B, grid, n, grid, n) */
    Tensor *x = ag_permute(ag_reshape(patches, cut), rows_together);
    return ag_reshape(x, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

static double assembled_right(Trial *t)
{
    enum { GRID = 3, N = 4 };
    const Model cut = {.config = {.side = GRID * N, .colours = 1, .patch = N}};
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 4890};
    Tensor *x = values_normal(tape, &rng, shape4(2, 1, GRID * N, GRID * N), 1);
    Tensor *patches = vit_patches(&cut, x);
    Tensor *y =
        broken(t, "solved") ? assembled_solved(patches, GRID, N) : assembled(patches, GRID, N);
    double off = values_difference(x, y);
    explain(t, "2 pictures of %d x %d, cut into patches of %d x %d and assembled: off by %.2g",
            GRID * N, GRID * N, N, N, off);
    tape_free(tape);
    return off;
}

static const Claim exercise_assembled =
    EXERCISE(48, "assembled: the pictures that were cut into patches",
             "J: Transformer Encoder for Image Classification", "max |assembled - picture|", 0,
             "the numbers are moved, and none is computed", assembled_right);

/* ---- row 49 ------------------------------------------------------------------------------------------------ */

/* ---- row 50 ------------------------------------------------------------------------------------------------ */

/* ---- row 51 ------------------------------------------------------------------------------------------------ */

const Claim *const vision_exercises[] = {
    /* row 48 */
    &exercise_assembled,
    /* row 49 */
    /* row 50 */
    /* row 51 */
    NULL,
};
