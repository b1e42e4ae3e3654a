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

/* ---- row 48: hidden patches ------------------------------------------------------------------ */

/* x (B, T, C) are the embedded patches of B pictures, before their positions are added; hidden (B,
 * T, 1) is 1 for a hidden patch and 0 for another one; token (C) is learned. Now: the encoder sees
 * all patches. Change it: nothing in the result depends on a hidden patch, and in the place of each
 * stands the one token, which learns from all these places (BEiT, Bao et al. 2022). */
static Tensor *masked_patches(Tensor *x, Tensor *hidden, Tensor *token)
{
    (void)hidden, (void)token;
    return x;
}

/* Two pictures of three patches, two of which are hidden in the first and one in the second. Under
 * the loss sum(w y) the gradient of a seen patch is w, of a hidden one 0, and of the token the sum
 * of w over the hidden ones. */
static double masked_right(Trial *t)
{
    enum { B = 2, T = 3, C = 2, ALL = B * T * C };
    static const real is_hidden[B * T] = {1, 0, 1, 0, 0, 1};
    static const real numbers[C] = {5, -7};
    Tape *tape = trial_tape(t);
    Tensor *x = values_leaf(tape, trial_rng(t, 4891), shape3(B, T, C), 1);
    Tensor *w = trial_normal(t, 4892, shape3(B, T, C));
    Tensor *hidden = tape_input(tape, is_hidden, shape3(B, T, 1));
    Tensor *token = tape_leaf(tape, numbers, shape1(C));
    Tensor *y = TRIED(t, masked_patches, masked_patches_solved, masked_patches_wrong_inverted,
                      masked_patches_wrong_zeros, masked_patches_wrong_added)(x, hidden, token);
    if (!shape_equal(y->shape, x->shape) || !ag_backward(ag_sum(ag_mul(y, w))))
        return (double)NAN;
    double value = 0, gradient = 0, sum[C] = {0};
    for (int i = 0; i < ALL; i++) {
        bool gone = is_hidden[i / C] > 0;
        double seen = x->grad ? (double)x->grad[i] : 0;
        sum[i % C] += gone ? (double)w->data[i] : 0;
        value =
            values_worst(value, fabs((double)(y->data[i] - (gone ? numbers[i % C] : x->data[i]))));
        gradient = values_worst(gradient, fabs(seen - (gone ? 0 : (double)w->data[i])));
    }
    for (int c = 0; c < C; c++) {
        double got = token->grad ? (double)token->grad[c] : 0;
        gradient = values_worst(gradient, fabs(got - sum[c]));
        explain(t, "channel %d of the token: gradient %.4f, expected %.4f", c, got, sum[c]);
    }
    explain(t, "numbers off by %.2g, gradients by %.2g", value, gradient);
    return values_worst(value, gradient);
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
    EXERCISE(48, "masked_patches: a learned token stands in place of each hidden patch",
             "Z: Vision transformers", "max |numbers, gradients - by definition|", 1e-5,
             "three numbers added; the others are moved", masked_right,
             {"inverted", "the token in place of the patches that are seen"},
             {"zeros", "zeros in place of the token"},
             {"added", "the token is added to the hidden patches, which stay"}),
    EXERCISE(50, "relative_bias: a number for each displacement",
             "V: Next Two Lectures: Iterations of Transformers",
             "numbers outside the table, and pairs that share one wrongly or do not, M = 4", 0,
             "each displacement has a number of its own", relative_bias_right,
             {"unsigned", "rows and columns without their sign"},
             {"narrow", "a table of M columns"},
             {"difference", "j - i, which two displacements share"}),
    {0},
};
