/* sampling.c: a gradient from samples, and through a sample (row 56).
 *
 *   d/dmu E[f(z)], z ~ N(mu, sigma^2 I) in D dimensions                           H "Training VAEs"
 *
 *   score function:      f(z) d log q(z) / dmu = f(z) (z - mu) / sigma^2  (Williams 1992)
 *   with a baseline b:   (f(z) - b) (z - mu) / sigma^2, with b = E[f]
 *   reparameterisation:  df(mu + sigma e) / dmu, e ~ N(0, I)               (Kingma and Welling 2014)
 *
 * Here f(z) = |z|^2, so that the gradient is 2 mu and the variances are polynomials: see
 * theory(). */
#include "lectures/08-vae/vae.h"

enum { DRAWS = 20000, STREAM = 5600 };
typedef enum { SCORE, BASELINE, REPARAMETERISED, ESTIMATORS } Estimator;
static const char *const names[ESTIMATORS] = {"score function", "with a baseline",
                                              "reparameterised"};
static const double mu = 1, sigma = 1;

/* The estimate of d/dmu_1 from each of DRAWS samples, as the gradient of a row of its own: mu is
 * (DRAWS, D). `held`: the sample is taken for a constant, and nothing replaces its dependence on
 * mu. */
static const real *estimates(Tape *tape, Rng *rng, Estimator which, int D, bool held)
{
    static real row[DRAWS];
    tape_reset(tape);
    Tensor *e = values_normal(tape, rng, shape2(DRAWS, D), 1);
    Tensor *m = ag_expand(tape_full(tape, (real)mu, shape1(1)), shape2(DRAWS, D));
    Tensor *leaf = tape_leaf(tape, ag_copy(m)->data, shape2(DRAWS, D));
    Tensor *z = ag_add(leaf, ag_scale(e, (real)sigma));
    if (which != REPARAMETERISED || held)
        z = ag_detach(z);
    Tensor *f = ag_sum_axis(ag_mul(z, z), 1, true), *surrogate = f; /* (DRAWS, 1) */
    if (which != REPARAMETERISED && !held) {
        double b = which == BASELINE ? D * (mu * mu + sigma * sigma) : 0;
        Tensor *d = ag_sub(z, leaf), *log_q = ag_scale(ag_sum_axis(ag_mul(d, d), 1, true),
                                                       (real)(-0.5 / (sigma * sigma)));
        surrogate = ag_mul(ag_sub(f, tape_full(tape, (real)b, shape1(1))), log_q);
    }
    if (held)
        surrogate =
            ag_add(surrogate, ag_scale(ag_sum_axis(leaf, 1, true), 0)); /* mu has a gradient: 0 */
    ag_backward(ag_sum(surrogate));
    for (int i = 0; i < DRAWS; i++)
        row[i] = leaf->grad[i * D];
    return row;
}

/* The variance of the estimate, with m = mu and s = sigma. S = |z|^2 = A + B, A the square of the
 * first entry, e its noise:
 *   E[S^2 e^2] = E[A^2 e^2] + 2 E[A e^2] E[B] + E[B^2]
 *   E[A^2 e^2] = m^4 + 18 m^2 s^2 + 15 s^4,  E[A e^2] = m^2 + 3 s^2
 *   E[B] = (D - 1)(m^2 + s^2),  Var[B] = (D - 1)(4 m^2 s^2 + 2 s^4)
 * and the variance is E[S^2 e^2] / s^2 - 4 m^2; with the baseline, S - E[S] stands for S. */
static double theory(Estimator which, int D)
{
    double m2 = mu * mu, s2 = sigma * sigma, a = m2 + s2,
           A2 = m2 * m2 + 18 * m2 * s2 + 15 * s2 * s2, A1 = m2 + 3 * s2, B1 = (D - 1) * a,
           B = (D - 1) * (4 * m2 * s2 + 2 * s2 * s2);
    switch (which) {
    case SCORE:
        return (A2 + 2 * A1 * B1 + B + B1 * B1) / s2 - 4 * m2;
    case BASELINE:
        return (A2 - 2 * a * A1 + a * a + B) / s2 - 4 * m2;
    default:
        return 4 * s2;
    }
}

typedef struct {
    double mean, error;              /* with its standard error */
    double variance, variance_error; /* likewise */
} Moments;

static Moments moments_of(const real *x)
{
    double mean = 0, square = 0, fourth = 0;
    for (int i = 0; i < DRAWS; i++)
        mean += (double)x[i] / DRAWS;
    for (int i = 0; i < DRAWS; i++) {
        double d = ((double)x[i] - mean) * ((double)x[i] - mean);
        square += d / DRAWS;
        fourth += d * d / DRAWS;
    }
    return (Moments){mean, sqrt(square / DRAWS), square, sqrt((fourth - square * square) / DRAWS)};
}

static double unbiased(Trial *t)
{
    enum { D = 4 };
    double worst = 0;
    for (int which = 0; which < ESTIMATORS; which++) {
        Moments m = moments_of(
            estimates(trial_tape(t), trial_rng(t, STREAM), (Estimator)which, D, broken(t, "held")));
        double off = fabs(m.mean - 2 * mu);
        worst = values_worst(worst, off == 0 ? 0 : off / m.error); /* without an error, infinity */
        explain(t, "%-16s d/dmu_1 = %.4f +- %.4f; exact %.0f", names[which], m.mean, m.error,
                2 * mu);
    }
    return worst;
}

static double variances(Trial *t)
{
    double worst = 0;
    for (int D = 1; D <= 16; D *= 4)
        for (int which = 0; which < ESTIMATORS; which++) {
            Estimator run =
                which == BASELINE && broken(t, "no-baseline") ? SCORE : (Estimator)which;
            Moments m =
                moments_of(estimates(trial_tape(t), trial_rng(t, STREAM + 1), run, D, false));
            double expected = theory((Estimator)which, D);
            worst = values_worst(worst, fabs(m.variance - expected) / m.variance_error);
            explain(t, "D = %2d, %-16s variance %8.2f +- %.2f; theory %8.2f", D, names[which],
                    m.variance, m.variance_error, expected);
        }
    return worst;
}

/* ---- the gradients of an ELBO ---------------------------------------------------------------- */

/* p(z) = N(0, 1), p(x | z) = N(w z, 1), one x; q(z) = N(m, v). */
static const double x = 2, w = 1, m = 0.3, v = 0.4;

/* DRAWS x k draws of q, or of p(z); mean is the leaf (DRAWS, 1) or a number. */
static Tensor *drawn(Tape *tape, Rng *rng, int k, Tensor *mean, double variance)
{
    Tensor *e = values_normal(tape, rng, shape2(DRAWS, k), sqrt(variance));
    return ag_add(mean, e);
}

/* d/dw of the mean of log p(x | z) over k draws, DRAWS times: g = (x - w z) z = a + b e + c e^2 for
 * z = m + sqrt(v) e, so that the mean is x m - w (m^2 + v) and the variance (b^2 + 2 c^2) / k. */
static double theta_sampled(Trial *t)
{
    double worst = 0, exact = x * m - w * (m * m + v), b = sqrt(v) * (x - 2 * w * m), c = -w * v;
    Tape *tape = trial_tape(t);
    for (int k = 1; k <= 16; k *= 4) {
        tape_reset(tape);
        Tensor *leaf = ag_copy(tape_full(tape, (real)w, shape2(DRAWS, 1)));
        leaf = tape_leaf(tape, leaf->data, leaf->shape);
        bool prior = broken(t, "prior"), one = broken(t, "one-draw");
        Tensor *z = drawn(tape, trial_rng(t, STREAM + 4), one ? 1 : k,
                          tape_full(tape, (real)(prior ? 0 : m), shape1(1)), prior ? 1 : v);
        Tensor *off = ag_shift(ag_mul(leaf, z), -x);
        ag_backward(ag_sum(ag_mean_axis(ag_scale(ag_mul(off, off), (real)-0.5), 1, false)));
        Moments g = moments_of(leaf->grad);
        double theory = (b * b + 2 * c * c) / k;
        worst = values_worst(worst, fabs(g.mean - exact) / (g.error));
        worst = values_worst(worst, fabs(g.variance - theory) / g.variance_error);
        explain(t, "%2d draws: d/dw = %.4f +- %.4f, exact %.4f; variance %.4f +- %.4f, theory %.4f",
                k, g.mean, g.error, exact, g.variance, g.variance_error, theory);
    }
    return worst;
}

const Claim vae_sampling_claims[] = {
    {56, theta_sampled,
     "the mean over draws of q gives an unbiased gradient of theta, even from one draw, and its "
     "variance falls as 1 / draws",
     .slides = {"H: Training VAEs"},
     .quantity =
         "largest |mean - gradient|, |variance - theory| in standard errors; 1, 4, 16 draws",
     AT_MOST(6, "six numbers, three of them variances, whose errors have heavier tails: 6, not 5"),
     .faults = {{"prior", "z is drawn from p(z) instead of q"},
                {"one-draw", "the mean is taken over one draw"}}},
    {56, unbiased,
     "score function, with or without a baseline, and reparameterisation are unbiased",
     .slides = {"H: Training VAEs"},
     .quantity = "largest |mean - 2 mu| in standard errors, 20,000 draws, D = 4",
     AT_MOST(5, "5 standard errors: once in 580,000 tables of 3"),
     .faults = {{"held", "the sample is taken for a constant"}}},
    {56, variances,
     "for f = |z|^2 the score function's variance grows as D^2, a baseline makes that D, "
     "reparameterised it is 4 sigma^2",
     .slides = {"H: Training VAEs"},
     .quantity = "largest |variance - theory| in standard errors, 3 estimators, D = 1, 4, 16",
     AT_MOST(6, "nine numbers whose errors have heavier tails than a normal one's (kurtosis at D "
                "= 1): 6, not 5"),
     .faults = {{"no-baseline", "nothing is subtracted from f"}}},
    {0},
};

/* ---- the picture ----------------------------------------------------------------------------- */

static bool draw_estimators(const Sketch *sketch)
{
    enum { SIZES = 7 };
    static double dimension[SIZES], variance[ESTIMATORS][SIZES];
    PlotSeries series[ESTIMATORS];
    Tape *tape = tape_new(sketch->seed);
    Rng rng = {.seed = sketch->seed, .stream = STREAM + 2};
    for (int which = 0; which < ESTIMATORS; which++) {
        for (int i = 0; i < SIZES; i++) {
            dimension[i] = 1 << i;
            variance[which][i] =
                moments_of(estimates(tape, &rng, (Estimator)which, 1 << i, false)).variance;
        }
        series[which] = (PlotSeries){names[which], dimension, variance[which], SIZES};
    }
    tape_free(tape);
    return SKETCH_CURVES(sketch, "Three gradients through a sample", series,
                         .x_name = "dimension of z",
                         .y_name = "variance of d/d\xce\xbc\xe2\x82\x81 from one draw",
                         .log_x = true, .log_y = true);
}

const Figure vae_sampling_figures[] = {
    {56, "estimators", draw_estimators,
     .what = "the variance of three estimates of a gradient, by the dimension of z"},
    {0},
};
