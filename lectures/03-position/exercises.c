/* exercises.c: functions to be changed, and the claims that tell whether the change is right.
 *
 * `./gradus claims 3 --try 15` runs those of row 15. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 15:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/03-position/exercises.h"

#include <stdlib.h>

/* ---- row 10: a pooling that knows the order -------------------------------------------------- */

/* Now: the mean of the tokens x (T, C), (C), the same for each of their orders. Change it: a
 * weighted mean that changes when any two different tokens change places, and still is a mean: of T
 * equal tokens it is that token. */
static Tensor *pooled(Tensor *x)
{
    return ag_mean_axis(x, 0, false);
}

/* max |a - b| of two means (C). */
static double means_apart(const Tensor *a, const Tensor *b, int C)
{
    double most = 0;
    for (int c = 0; c < C; c++)
        most = values_worst(most, fabs((double)a->data[c] - (double)b->data[c]));
    return tensor_size(a) == C && tensor_size(b) == C ? most : (double)NAN;
}

static double pooled_right(Trial *t)
{
    enum { T = 9, C = 8 };
    double least = INFINITY;
    Tensor *x = trial_normal(t, 170, shape2(T, C));
    Tensor *(*pool)(Tensor *) =
        TRIED(t, pooled, pooled_solved, pooled_wrong_sum, pooled_wrong_last);
    for (int a = 0; a < T; a++)
        for (int b = 0; b < a; b++) {
            int order[T];
            for (int i = 0; i < T; i++)
                order[i] = i == a ? b : i == b ? a : i;
            least = values_least(least, means_apart(pool(x), pool(values_permuted(x, order)), C));
        }
    Tensor *token = trial_normal(t, 170, shape2(1, C));
    double off = means_apart(pool(ag_expand(token, shape2(T, C))), token, C);
    explain(t, "two of 9 tokens change places: the mean changes by %.2g or more", least);
    explain(t, "of 9 equal tokens it is %.2g away from the token", off);
    return least > 1e-3 ? off : INFINITY;
}

/* ---- row 11: Gray's code --------------------------------------------------------------------- */

/* Now: bit j of p. Change it: bit j = 0 .. 3 of a code of the numbers 0 to 15 in which p and p + 1
 * differ in one bit only, and no two numbers have one code (Gray 1953). */
static int code_bit(int p, int j)
{
    return p >> j & 1;
}

static double one_flip(Trial *t)
{
    enum { NUMBERS = 16, BITS = 4 };
    int most = 0, seen = 0;
    int (*bit)(int, int) =
        TRIED(t, code_bit, code_bit_solved, code_bit_wrong_left, code_bit_wrong_unmasked);
    for (int p = 0; p < NUMBERS; p++) {
        int code = 0, flips = 0;
        for (int j = 0; j < BITS; j++) {
            code |= (bit(p, j) & 1) << j;
            flips += p > 0 && bit(p, j) != bit(p - 1, j);
        }
        most = flips > most ? flips : most;
        seen |= 1 << code;
        explain(t, "%2d has the code %d%d%d%d", p, code >> 3, code >> 2 & 1, code >> 1 & 1,
                code & 1);
    }
    explain(t, "from 0 to 15 at most %d bits flip from one number to the next; the codes are %s",
            most, seen == (1 << NUMBERS) - 1 ? "all different" : "not all different");
    return seen == (1 << NUMBERS) - 1 ? most : INFINITY;
}

/* ---- row 15: a code for a grid --------------------------------------------------------------- */

/* Now: the code of patch (row, column) of a grid of `side` columns by its number, (C): the patch to
 * the right is one position away, the one below is `side` away. Change it: each patch is equally
 * far from the one to its right and the one below it, everywhere on the grid, and no two patches
 * have one code. PE (T, C) and half (T, C / 2) are tables of sinusoids. */
static Tensor *grid_code(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)half;
    int at = side * row + column;
    return ag_reshape(ag_slice(PE, 0, at, at + 1), shape1(-1));
}

/* The codes of all patches, (SIDE SIDE, GRID_C), against each other. */
static double grid_right(Trial *t)
{
    enum { SIDE = 5, GRID_C = 16, ALL = SIDE * SIDE };
    double least = INFINITY, most = 0, nearest = INFINITY;
    Tape *tape = trial_tape(t);
    Tensor *PE = code_sinusoids(tape, ALL, GRID_C, 10000),
           *half = code_sinusoids(tape, ALL, GRID_C / 2, 10000), *codes[ALL];
    Tensor *(*code)(Tensor *, Tensor *, int, int, int) =
        TRIED(t, grid_code, grid_code_solved, grid_code_wrong_sum, grid_code_wrong_number);
    for (int i = 0; i < ALL; i++)
        codes[i] = ag_reshape(code(PE, half, i / SIDE, i % SIDE, SIDE), shape2(1, GRID_C));
    Tensor *table = ag_concat(codes, ALL, 0);
    const real *distance = code_distances(table, table)->data;
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            double d = (double)distance[i * ALL + j];
            bool right = j == i + 1 && j % SIDE != 0, below = j == i + SIDE;
            nearest = i == j ? nearest : values_least(nearest, d);
            least = right || below ? values_least(least, d) : least;
            most = right || below ? values_worst(most, d) : most;
        }
    explain(t, "neighbours, to the right and below: %.4f to %.4f apart", least, most);
    explain(t, "any two patches: %.4f or more", nearest);
    return nearest > 1e-3 ? most - least : INFINITY;
}

const Claim position_exercises[] = {
    EXERCISE(10, "pooled: a mean that sees the order", "V: What about the order?",
             "|mean of equal tokens - the token|; infinity where two tokens may change places",
             1e-5, "nine weights and products, rounded by 6e-8 each", pooled_right,
             {"sum", "the weights do not add up to 1"},
             {"last", "the last token alone: the others may change places"}),
    EXERCISE(11, "code_bit: neighbours differ in one bit", "V: Positional Encoding: Intuition",
             "most bits that flip from p to p + 1; infinity where two codes are equal", 1,
             "one bit in each step", one_flip, {"left", "the exclusive or of bits j and j - 1"},
             {"unmasked", "all bits from j on, not bit j alone"}),
    EXERCISE(
        15, "grid_code: the same distance to the right and below",
        "J: Transformer Encoder for Image Classification",
        "range of the distances of neighbours, 5 x 5; infinity where two patches have one code",
        1e-5,
        "a step to the right and one below are the same rotation of a part: only rounding differs",
        grid_right, {"sum", "the code of row + column"},
        {"number", "the row's code beside the code of the number"}),
    {0},
};
