/* exercises_costs.c: the exercises of rows 29 and 30, what a layer costs; see exercises.c. */
#include "lectures/04-attention/exercises.h"

#include "lectures/runner/counting.h"

/* ---- row 30: keys that come by --------------------------------------------------------------- */

bool next_score(Stream *from, double *score)
{
    if (from->left-- <= 0)
        return false;
    *score = *from->s++;
    return true;
}

/* Now: log of the sum of exp(s_j), which overflows. Change it: no overflow, for scores of any size;
 * a score may be
 * -infinity, that of a hidden key, also the first. */
static double log_sum(Stream *from)
{
    double s, sum = 0;
    while (next_score(from, &s))
        sum += exp(s);
    return log(sum);
}

static double streamed(Trial *t)
{
    static const double scores[][3] = {{0, 1, 2},
                                       {1000, 1001, 1002},
                                       {-1002, -1000, -1001},
                                       {0, 1000, 0},
                                       {-(double)INFINITY, 1, 2}};
    double worst = 0, base = log(1 + exp(-1) + exp(-2));
    const double expected[] = {2 + base, 1002 + base, -1000 + base, 1000, 2 + log(1 + exp(-1))};
    for (int i = 0; i < 5; i++) {
        Stream from = {scores[i], 3};
        double got =
            TRIED(t, log_sum, log_sum_solved, log_sum_wrong_unscaled, log_sum_wrong_hidden)(&from);
        explain(t, "scores %g, %g, %g: %.6g, expected %.6g", scores[i][0], scores[i][1],
                scores[i][2], got, expected[i]);
        worst = values_worst(worst, fabs(got - expected[i]));
    }
    return worst;
}

const Claim attention_exercises_costs[] = {
    EXERCISE(30, "log_sum: of scores that come once, without overflow", "H: Complexity",
             "max |log_sum - closed form|, scores near 0, 1000, -1000, 0 with 1000, one hidden",
             1e-9,
             "largest + log(1 + 1/e + 1/e^2), and the like; doubles near 1000 are rounded by 1e-13",
             streamed, {"unscaled", "the sum so far is not scaled down"},
             {"hidden", "-infinity less -infinity, where the first key is hidden"}),
    {0},
};
