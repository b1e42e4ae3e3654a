/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so their claims FAIL;
 * `--try 48:solved` measures a solution instead of the function. */
#include "lectures/07-vision/vision.h"

/* ---- row 48 ------------------------------------------------------------------------------------------------ */

/* ---- row 49 ------------------------------------------------------------------------------------------------ */

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

/* ---- row 50 ------------------------------------------------------------------------------------------------ */

/* ---- row 51 ------------------------------------------------------------------------------------------------ */

const Claim *const vision_exercises[] = {
    /* row 48 */
    /* row 49 */
    &exercise_given_last,
    /* row 50 */
    /* row 51 */
    NULL,
};
