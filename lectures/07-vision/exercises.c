/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so their claims FAIL;
 * `--try 48:solved` measures a solution instead of the function. */
#include "lectures/07-vision/vision.h"

/* ---- row 48 ------------------------------------------------------------------------------------------------ */

/* ---- row 49: Bayes' rule ------------------------------------------------------------------------------------- */

/* p (512): the probability of each picture k of 3 x 3 pixels; its first pixel is k >> 8, its last one is k & 1. Now: p(x_1 = 1),
 * which is the first factor. Change it: p(x_1 = 1 | x_9 = 1), which is no factor of raster order. */
static double first_given_last(const double *p)
{
    double white = 0;
    for (int k = 0; k < NINE_PICTURES; k++)
        if (k >> 8)
            white += p[k];
    return white;
}

static double first_given_last_solved(const double *p)
{
    double both = 0, last = 0;
    for (int k = 0; k < NINE_PICTURES; k++) {
        if (k & 1)
            last += p[k];
        if (k & 1 && k >> 8)
            both += p[k];
    }
    return both / last;
}

/* Two of the six bars contain the first corner, two others the last one, and two neither; a pixel is white in a bar with
 * probability 19/20 and elsewhere with 1/20. */
static double given_last(Trial *t)
{
    static double p[NINE_PICTURES], q[NINE_PICTURES];
    const double both = (4 * 0.95 * 0.05 + 2 * 0.05 * 0.05) / 6, last = (2 * 0.95 + 4 * 0.05) / 6;
    double (*asked)(const double *) =
        broken(t, "solved") ? first_given_last_solved : first_given_last;
    for (int k = 0; k < NINE_PICTURES; k++)
        p[k] = nine_source(k);
    explain(t, "p(x_1 = 1 | x_9 = 1) by hand: %.6f; first_given_last: %.6f", both / last, asked(p));
    if (nine_network(t->seed, q))
        explain(t, "and of the trained network's 512 probabilities: %.6f", asked(q));
    return fabs(asked(p) - both / last);
}

static const Claim exercise_given_last =
    EXERCISE(49, "first_given_last: an earlier pixel given a later one, by Bayes' rule",
             "Z: Generative image transformers", "|first_given_last - by hand|, of the bars", 1e-12,
             "sums of 512 numbers in double", given_last);

/* ---- row 50: a bias for each displacement ------------------------------------------------------------------- */

/* Swin adds to the score of query i and key j of a window of M x M tokens a learned bias that depends on where j lies as
 * seen from i, and on nothing else. Now: a number for each pair, M^4 of them. Change it: for each displacement (rows
 * down, columns right), -M < rows, columns < M, another number, from 0 to (2 M - 1)^2 - 1. */
static int relative_bias(int i, int j, int M)
{
    return i * M * M + j;
}

static int relative_bias_solved(int i, int j, int M)
{
    int down = j / M - i / M, right = j % M - i % M;
    return (down + M - 1) * (2 * M - 1) + right + M - 1;
}

/* Every two pairs of a window: have they one number exactly if they have one displacement? */
static double relative_bias_right(Trial *t)
{
    enum { M = 4, TOKENS = M * M, PAIRS = TOKENS * TOKENS, ALL = (2 * M - 1) * (2 * M - 1) };
    int number[PAIRS], outside = 0, wrong = 0;
    for (int a = 0; a < PAIRS; a++) {
        int i = a / TOKENS, j = a % TOKENS;
        number[a] = broken(t, "solved") ? relative_bias_solved(i, j, M) : relative_bias(i, j, M);
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

static const Claim exercise_relative_bias =
    EXERCISE(50, "relative_bias: a number for each displacement",
             "V: Next Two Lectures: Iterations of Transformers",
             "numbers outside the table, and pairs that share one wrongly or do not, M = 4", 0,
             "each displacement has a number of its own", relative_bias_right);

/* ---- row 51 ------------------------------------------------------------------------------------------------ */

/* in exercises_sound.c */

const Claim *const vision_exercises[] = {
    /* row 48 */
    /* row 49 */
    &exercise_given_last,
    /* row 50 */
    &exercise_relative_bias,
    /* row 51 */
    &exercise_overlap,
    &exercise_codes,
    NULL,
};
