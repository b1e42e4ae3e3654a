/* exercises.c: functions to be changed, in one to ten lines, and the claims that tell whether the
 * change is right.
 *
 * `./gradus claims 1 --try 2` runs those of row 2. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 2:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/01-recurrence/exercises.h"

/* ---- row 1: a scan --------------------------------------------------------------------------- */

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
        step[i] = (Step){.a = 0.5 + rng_uniform(rng) / 2, .u = rng_normal(rng)};
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

/* ---- row 2: clip a gradient ------------------------------------------------------------------ */

/* Now: nothing. Change it: where the length of g (n numbers) is above `most`, scale g so that it is
 * `most`, which keeps its direction; exploding gradients are trained with that (Pascanu et al.
 * 2013). */
static void clip(double *g, int n, double most)
{
    (void)g;
    (void)n;
    (void)most;
}

/* Of the gradient of an RNN that explodes, and of one that does not: against params_clip_grad on
 * the same numbers. */
static double clipped(Trial *t)
{
    enum { N = 8, MOST = 2 };
    double worst = 0;
    for (double size = 0.1; size < 1e4; size *= 10) {
        Params *p = params_new(t->seed);
        Rng rng = {.seed = t->seed, .stream = 180};
        Tensor *w = params_add(p, "w", shape1(N), nn_constant(0));
        double g[N];
        for (int i = 0; i < N; i++)
            g[i] = (double)(w->grad[i] = (real)(size * rng_normal(&rng)));
        params_clip_grad(p, MOST);
        TRIED(t, clip, clip_solved, clip_wrong_each, clip_wrong_always, clip_wrong_to_one)
        (g, N, MOST);
        for (int i = 0; i < N; i++)
            worst = values_worst(worst, fabs(g[i] - (double)w->grad[i]));
        explain(t, "numbers of size %g: the largest difference so far is %.2g", size, worst);
        params_free(p);
    }
    return worst;
}

const Claim recurrence_exercises[] = {
    EXERCISE(1, "scan: all prefixes of 64 steps in 128 joins, of which 12 wait for each other",
             "H: Complexity",
             "max |h - h one by one|, and 1 each for more than 128 joins and a longer chain", 1e-12,
             "rounding in double of numbers up to 10 in 64 steps", prefixes,
             {"rounds", "log2 n rounds of n joins, as in section 1.5"},
             {"swapped", "the later step comes first"},
             {"pairs_only", "prefixes that end within a pair are left out"}),
    EXERCISE(2, "clip: a gradient no longer than 2, in its direction",
             "V: RNN vs Transformers: Why RNNs fall short?",
             "largest |clip - params_clip_grad| of gradients of size 0.1 to 1,000", 1e-5,
             "rounding of numbers below 2", clipped,
             {"each", "each number by itself, which changes the direction"},
             {"always", "a short gradient is scaled, too"},
             {"to_one", "a long gradient gets length 1"}),
    {0},
};
