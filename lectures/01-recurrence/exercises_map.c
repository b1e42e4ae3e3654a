/* exercises_map.c: the exercise of row 1. */
#include "lectures/01-recurrence/exercises.h"

enum { ROUNDS = 6 };
static int joins;

Step join(Step first, Step second)
{
    int waited = first.chain > second.chain ? first.chain : second.chain;
    joins++;
    return (Step){second.a * first.a, second.a * first.u + second.u, waited + 1};
}

/* Now: step[i] becomes steps 0 .. i together, by n - 1 joins one after another. Change it: the same
 * with a chain of at most 2 log2 n joins, and at most 2 n joins in all (Blelloch 1990). n is a
 * power of two, STEPS at most. Join the pairs first, let the function do the rest with half as many
 * steps, and ask what is missing then. */
static void scan(Step *step, int n)
{
    for (int i = 1; i < n; i++)
        step[i] = join(step[i - 1], step[i]);
}

/* The largest error of h from h = 0; 1 and more where there are too many joins, or too many that
 * wait. */
static double prefixes(Trial *t)
{
    Step step[STEPS];
    double h[STEPS], worst = 0;
    Rng *rng = trial_rng(t, 130);
    int chain = 0;
    for (int i = 0; i < STEPS; i++) {
        step[i] = (Step){.a = rng_uniform(rng), .u = rng_normal(rng)};
        h[i] = (i ? step[i].a * h[i - 1] : 0) + step[i].u;
    }
    joins = 0;
    TRIED(t, scan, scan_solved, scan_wrong_rounds, scan_wrong_swapped, scan_wrong_pairs_only)
    (step, STEPS);
    for (int i = 0; i < STEPS; i++) {
        worst = values_worst(worst, fabs(step[i].u - h[i]));
        chain = step[i].chain > chain ? step[i].chain : chain;
    }
    explain(t, "%d steps: %d joins, %d of them in a chain; max |h - h one by one| = %.2g", STEPS,
            joins, chain, worst);
    return worst + (joins > 2 * STEPS) + (chain > 2 * ROUNDS);
}

const Claim recurrence_exercises_map[] = {
    EXERCISE(1, "scan: all prefixes of 64 steps in 128 joins, of which 12 wait for each other",
             "H: Complexity",
             "max |h - h one by one|, and 1 each for more than 128 joins and a longer chain", 1e-12,
             "rounding in double of numbers up to 10 in 64 steps", prefixes,
             {"rounds", "log2 n rounds of n joins, as in section 1.5"},
             {"swapped", "the later step comes first"},
             {"pairs_only", "prefixes that end within a pair are left out"}),
    {0},
};
