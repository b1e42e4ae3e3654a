/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right. exercises_small.c has those of row 57.
 *
 * `./gradus claims 8 --try 52` runs those of row 52. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 52:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/08-vae/exercises.h"

/* ---- row 52: Bayes' rule --------------------------------------------------------------------- */

/* Now: the class with the largest p(z) p(x | z) gets all. Change it: Bayes' rule, from log p(z) and
 * log p(x | z), both of length 3, into p(z | x). The logarithms may be -1000: exp of that is 0 in
 * double. */
static void posterior(const double *log_prior, const double *log_likelihood, double *p)
{
    int best = 0;
    for (int z = 0; z < 3; z++)
        if (log_prior[z] + log_likelihood[z] > log_prior[best] + log_likelihood[best])
            best = z;
    for (int z = 0; z < 3; z++)
        p[z] = z == best;
}

static double posterior_is_right(Trial *t)
{
    /* p(z) = 1/2, 1/4, 1/4 and p(x | z) in the ratios 1 : 2 : 4 give 1/4, 1/4, 1/2. */
    static const double expected[3] = {0.25, 0.25, 0.5};
    void (*bayes)(const double *, const double *, double *) =
        TRIED(t, posterior, posterior_solved, posterior_wrong_underflow,
              posterior_wrong_likelihood);
    double worst = 0, prior[3] = {log(0.5), log(0.25), log(0.25)}, p[3];
    for (double shift = 0; shift >= -1000; shift -= 500) {
        double likelihood[3] = {shift, shift + log(2), shift + log(4)};
        bayes(prior, likelihood, p);
        for (int z = 0; z < 3; z++)
            worst = values_worst(worst, fabs(p[z] - expected[z]));
        explain(t,
                "log p(x | z) about %5.0f: p(z | x) = %.4f, %.4f, %.4f; expected 0.25, 0.25, 0.5",
                shift, p[0], p[1], p[2]);
    }
    return worst;
}

/* ---- row 53: importance weights -------------------------------------------------------------- */

/* Now: the weight of a draw from p(z). Change it: z is drawn from N(mean, deviation^2) instead; the
 * weight of the draw is p(x | z) p(z) / q(z), with p(z) = N(0, 1) and p(x | z) = N(z, 1/4). */
static double weight(double x, double z, double mean, double deviation)
{
    (void)mean, (void)deviation;
    return exp(-2 * (x - z) * (x - z)) / sqrt(M_PI / 2);
}

/* The mean weight of draws from two proposals against p(x) = N(x; 0, 5/4), in standard errors. */
static double weights_are_right(Trial *t)
{
    enum { DRAWS = 20000 };
    static const double proposals[2][2] = {{0.7, 0.6}, {0.2, 1.2}};
    double worst = 0, x = 1, exact = exp(-x * x / 2.5) / sqrt(2.5 * M_PI);
    for (int i = 0; i < 2; i++) {
        double mean = proposals[i][0], deviation = proposals[i][1], sum = 0, square = 0;
        for (int n = 0; n < DRAWS; n++) {
            double z = mean + deviation * rng_normal(trial_rng(t, 5800));
            double w = TRIED(t, weight, weight_solved, weight_wrong_deviation,
                             weight_wrong_inverse)(x, z, mean, deviation);
            sum += w / DRAWS;
            square += w * w / DRAWS;
        }
        double error = sqrt((square - sum * sum) / DRAWS);
        worst = values_worst(worst, fabs(sum - exact) / error);
        explain(t, "z from N(%.1f, %.1f^2): p(x) = %.5f +- %.5f; exact %.5f", mean, deviation, sum,
                error, exact);
    }
    return worst;
}

/* ---- row 54: the ELBO of a linear model ------------------------------------------------------ */

/* Now: E_q log p(x, z) for q = N(m, v), p(z) = N(0, 1), p(x | z) = N(z, 1). Change it: the ELBO of
 * this q for p(x | z) = N(w z, s2). (At the posterior it is log N(x; 0, w^2 + s2).) */
static double gaussian_elbo(double x, double w, double s2, double m, double v)
{
    (void)w, (void)s2;
    return -log(2 * M_PI) - (m * m + v) / 2 - ((x - m) * (x - m) + v) / 2;
}

/* Against log p(x) - KL(q || posterior), the posterior N(w x / (w^2 + s2), s2 / (w^2 + s2)). */
static double elbo_is_right(Trial *t)
{
    static const double model[3][2] = {{1, 1}, {2, 0.5}, {-0.5, 0.25}};
    double worst = 0, m = 0.3, v = 0.4;
    for (int i = 0; i < 3; i++)
        for (double x = -2; x <= 2; x += 2) {
            double w = model[i][0], s2 = model[i][1], all = w * w + s2, mean = w * x / all,
                   variance = s2 / all, log_p = -(log(2 * M_PI * all) + x * x / all) / 2;
            double kl = ((v + (m - mean) * (m - mean)) / variance - 1 - log(v / variance)) / 2;
            double bound =
                TRIED(t, gaussian_elbo, gaussian_elbo_solved, gaussian_elbo_wrong_entropy,
                      gaussian_elbo_wrong_spread)(x, w, s2, m, v);
            worst = values_worst(worst, fabs(bound - (log_p - kl)));
            explain(t, "x = %2.0f, w = %4.1f, s2 = %.2f: ELBO %8.4f; log p(x) - KL = %8.4f", x, w,
                    s2, bound, log_p - kl);
        }
    return worst;
}

/* ---- row 55: the best q for all x ------------------------------------------------------------ */

/* Posteriors N(mean_i, variance_i) of n points, and one q = N(*c, *v) for all of them. Now: the
 * mean of the means, the mean of the variances. Change it: the q with the least mean KL(q ||
 * posterior). (The notes have it for equal variances.) */
static void best_q(const double *mean, const double *variance, int n, double *c, double *v)
{
    *c = *v = 0;
    for (int i = 0; i < n; i++) {
        *c += mean[i] / n;
        *v += variance[i] / n;
    }
}

static double mean_kl(const double *mean, const double *variance, int n, double c, double v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((v + (c - mean[i]) * (c - mean[i])) / variance[i] - 1 - log(v / variance[i])) / 2;
    return sum / n;
}

/* How much the mean KL falls in a step of 1e-3 from that q, to either side in c and in log v: at
 * the minimum it rises. */
static double best_q_is_right(Trial *t)
{
    enum { N = 4 };
    static const double mean[N] = {1, 2, 3, 6}, variance[2][N] = {{1, 1, 1, 1}, {0.2, 1, 0.5, 4}};
    double most = -INFINITY;
    for (int k = 0; k < 2; k++) {
        double c, v;
        TRIED(t, best_q, best_q_solved, best_q_wrong_precision, best_q_wrong_turned)
        (mean, variance[k], N, &c, &v);
        double here = mean_kl(mean, variance[k], N, c, v);
        for (int side = -1; side <= 1; side += 2) {
            double step = 1e-3 * side;
            most = values_worst(most, here - mean_kl(mean, variance[k], N, c + step, v));
            most = values_worst(most, here - mean_kl(mean, variance[k], N, c, v * exp(step)));
        }
        explain(t, "%s variances: q = N(%.4f, %.4f), mean KL %.6f", k ? "different" : "equal", c, v,
                here);
    }
    return most;
}

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
    EXERCISE(52, "posterior: Bayes' rule for three classes", "H: Let's try EM",
             "max |p(z | x) - Bayes|", 1e-9,
             "a few roundings in double, also far out where every density is 0 in double",
             posterior_is_right, {"underflow", "exp of the logarithms as they are"},
             {"likelihood", "without the prior"}),
    EXERCISE(53, "weight: p(x | z) p(z) / q(z)", "H: Training",
             "largest |estimate - p(x)| in standard errors, two q", 5,
             "5 standard errors: once in 870,000 tables of 2", weights_are_right,
             {"deviation", "q without its factor 1 / deviation"},
             {"inverse", "multiplied by q / p(z)"}),
    EXERCISE(54, "gaussian_elbo: the bound of a linear model", "H: Recap: ELBO",
             "max |ELBO - (log p(x) - KL)|", 1e-9, "a few roundings in double", elbo_is_right,
             {"entropy", "without the entropy of q"},
             {"spread", "the mean of (x - w z)^2 has v where it should have w^2 v"}),
    EXERCISE(55, "best_q: one q for posteriors of different width", "H: Approximate Posterior",
             "largest fall of the mean KL in a step of 1e-3", 0,
             "at a minimum every step leads upwards", best_q_is_right,
             {"precision", "1 / the sum of the precisions, not of their mean"},
             {"turned", "mean and variance of the mixture: the best q for KL(posterior || q)"}),
    EXERCISE(56, "baseline: a number made from the batch itself", "H: Training VAEs",
             "variance as a share of that without a baseline", 0.095,
             "theory: of a variance of 11,415 for each sample 810 + 402 / 7 + 7 (20 / 7)^2 = 925 "
             "is left, "
             "0.081 +- 0.0013; one other sample alone as the baseline leaves 0.106 +- 0.0023",
             baseline_is_right, {"one_other", "one other sample"},
             {"all", "the mean of all samples, with its own"}),
    {0},
};
