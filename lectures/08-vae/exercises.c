/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right. exercises_small.c has those of row 57.
 *
 * `./gradus claims 8 --try 56` runs those of row 56. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 56:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/08-vae/exercises.h"

/* ---- row 56: a baseline from the other samples ----------------------------------------------- */

/* f (n) of the n samples of a batch. Now: no baseline. Change it: a number for sample i, made from
 * f, that leaves the estimate unbiased and its variance below a tenth. */
static double baseline(const double *f, int n, int i)
{
    (void)f, (void)n, (void)i;
    return 0;
}

/* d/dmu E[(10 + z)^2], z ~ N(mu, 1) at mu = 0, is 20. From batches of 8: the estimate's distance in
 * standard errors, or, if that is small, its variance as a share of the one without a baseline. */
static double baseline_is_right(Trial *t)
{
    enum { BATCH = 8, BATCHES = 16000 };
    double (*of_others)(const double *, int, int) =
        TRIED(t, baseline, baseline_solved, baseline_wrong_one_other, baseline_wrong_all);
    double sum[2] = {0}, square[2] = {0};
    for (int b = 0; b < BATCHES; b++) {
        double z[BATCH], f[BATCH], estimate[2] = {0};
        for (int i = 0; i < BATCH; i++) {
            z[i] = rng_normal(trial_rng(t, 5801));
            f[i] = (10 + z[i]) * (10 + z[i]);
        }
        for (int i = 0; i < BATCH; i++) {
            estimate[0] += f[i] * z[i] / BATCH;
            estimate[1] += (f[i] - of_others(f, BATCH, i)) * z[i] / BATCH;
        }
        for (int way = 0; way < 2; way++) {
            sum[way] += estimate[way] / BATCHES;
            square[way] += estimate[way] * estimate[way] / BATCHES;
        }
    }
    double variance = square[1] - sum[1] * sum[1], without = square[0] - sum[0] * sum[0];
    double off = fabs(sum[1] - 20) / sqrt(variance / BATCHES);
    explain(t, "d/dmu = %.3f, %.1f standard errors from 20; variance %.1f, without a baseline %.1f",
            sum[1], off, variance, without);
    return off <= 5 ? variance / without : INFINITY;
}

const Claim vae_exercises[] = {
    EXERCISE(56, "baseline: a number made from the batch itself", "H: Training VAEs",
             "variance as a share of that without a baseline", 0.095,
             "theory: of a variance of 11,415 for each sample 810 + 402 / 7 + 7 (20 / 7)^2 = 925 "
             "is left, "
             "0.081 +- 0.0013; one other sample alone as the baseline leaves 0.106 +- 0.0023",
             baseline_is_right, {"one_other", "one other sample"},
             {"all", "the mean of all samples, with its own"}),
    {0},
};
