/* integral.c: with z normal and a network f, p(x) is an integral (row 53).
 *
 *   p(x) = int N(z; 0, I) N(x; f(z), s^2 I) dz                        H "The VAE Model", "Training"
 *
 * With one z quadrature computes it. With D of them the plain Monte Carlo estimate, the mean of w =
 * p(x | z) over z from p(z), needs a number of draws that grows exponentially with D; so does
 * drawing from p(z | x) by rejection; and the logarithm of the estimate is too small on average
 * (Jensen). Where f(z) = z all are known in closed form:
 *
 *   E[w] = prod N(x_d; 0, 1 + s^2),   E[w^2] = prod N(x_d; 0, 1 + s^2 / 2) / (2 s sqrt(pi)) */
#include "lectures/08-vae/vae.h"

enum { STREAM = 5300 };

/* ---- one z: quadrature ----------------------------------------------------------------------- */

enum { NODES = 601, HIDDEN = 12, DRAWS = 20000, SEEN = 6 };
static const double noise = 0.3;

/* The decoder f: R -> R^2, two layers with tanh between them. */
typedef struct {
    Params *params;
    Linear in, out;
} Decode;

static void decode_init(Decode *f, uint64_t seed)
{
    f->params = params_new(seed);
    nn_linear_init(&f->in, f->params, "in", 1, HIDDEN, true);
    nn_linear_init(&f->out, f->params, "out", HIDDEN, 2, true);
}

/* log N(x; f(z), s^2 I) for each z (N, 1): (N) */
static Tensor *log_likelihood(const Decode *f, Tensor *z, const real x[2])
{
    Tape *tape = z->tape;
    Tensor *mean = nn_linear(&f->out, ag_tanh(ag_scale(nn_linear(&f->in, z), 2)));
    Tensor *d = ag_sub(mean, tape_input(tape, x, shape2(1, 2)));
    Tensor *square = ag_sum_axis(ag_mul(d, d), 1, false);
    return ag_sub(ag_scale(square, (real)(-0.5 / (noise * noise))),
                  tape_full(tape, (real)log(2 * M_PI * noise * noise), shape1(1)));
}

/* The trapezoid rule with `nodes` <= NODES nodes on [-6, 6]: outside lies 2e-9 of p(z). */
static double quadrature(const Decode *f, Tape *tape, const real x[2], int nodes)
{
    real z[NODES];
    double h = 12.0 / (nodes - 1), p = 0;
    for (int i = 0; i < nodes; i++)
        z[i] = (real)(-6 + h * i);
    tape_reset(tape);
    Tensor *ll = log_likelihood(f, tape_input(tape, z, shape2(nodes, 1)), x);
    for (int i = 0; i < nodes; i++)
        p += h * exp(-0.5 * (double)z[i] * (double)z[i] + (double)ll->data[i]) / sqrt(2 * M_PI);
    return p;
}

/* The mean of p(x | z) over z from p(z), or, as a fault, from the wrong distribution. */
static Mean monte_carlo(const Decode *f, Tape *tape, const real x[2], Rng *rng, bool wide)
{
    static real z[DRAWS];
    static double p[DRAWS];
    for (int i = 0; i < DRAWS; i++)
        z[i] = (real)(wide ? 1.5 * rng_normal(rng) : rng_normal(rng));
    tape_reset(tape);
    Tensor *ll = log_likelihood(f, tape_input(tape, z, shape2(DRAWS, 1)), x);
    for (int i = 0; i < DRAWS; i++)
        p[i] = exp((double)ll->data[i]);
    return values_mean(p, DRAWS);
}

static double against_quadrature(Trial *t)
{
    double worst = 0;
    Decode f;
    decode_init(&f, t->seed);
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, STREAM);
    tape->no_grad = true;
    for (int i = 0; i < SEEN; i++) {
        real z = (real)rng_normal(rng), x[2];
        tape_reset(tape);
        Tensor *mean =
            nn_linear(&f.out,
                      ag_tanh(ag_scale(nn_linear(&f.in, tape_input(tape, &z, shape2(1, 1))), 2)));
        for (int d = 0; d < 2; d++)
            x[d] = (real)((double)mean->data[d] + noise * rng_normal(rng));
        double p = quadrature(&f, tape, x, NODES), doubled = quadrature(&f, tape, x, NODES / 2 + 1);
        Mean mc = monte_carlo(&f, tape, x, rng, broken(t, "wide"));
        worst = values_worst(worst, fabs(mc.mean - p) / mc.error);
        explain(t, "x = (%5.2f, %5.2f): p(x) = %.5f by quadrature, %.5f +- %.5f by %d draws",
                (double)x[0], (double)x[1], p, mc.mean, mc.error, DRAWS);
        explain(t, "    a step of 0.04 in place of 0.02 changes the first by %.1g of it",
                fabs(doubled - p) / p);
    }
    params_free(f.params);
    return worst;
}

/* ---- D of them: how many draws --------------------------------------------------------------- */

static const double s = 0.5;

static double normal_density(double x, double variance)
{
    return exp(-x * x / (2 * variance)) / sqrt(2 * M_PI * variance);
}

/* A point whose squared length is D (1 + s^2), what p(x) has on average: its entries, up to the
 * sign. */
static double typical(void)
{
    return sqrt(1 + s * s);
}

static double evidence(int D)
{
    return pow(normal_density(typical(), 1 + s * s), D);
}

/* E[w]^2 / E[w^2] of one dimension: the share of useful draws, so to say, of all. */
static double share_of_one(void)
{
    double square = normal_density(typical(), 1 + s * s / 2) / (2 * s * sqrt(M_PI));
    return pow(evidence(1), 2) / square;
}

/* w / p(x) of N draws: w = N(x; z, s^2 I) with z from p(z); with `posterior`, z from p(z | x) and w
 * = p(z) p(x | z) / p(z | x). */
static Tensor *weights(Tape *tape, Rng *rng, int N, int D, bool posterior)
{
    double mean = posterior ? typical() / (1 + s * s) : 0,
           deviation = posterior ? s / sqrt(1 + s * s) : 1;
    Tensor *m = tape_full(tape, (real)mean, shape1(1)),
           *x = tape_full(tape, (real)typical(), shape1(1));
    Tensor *e = values_normal(tape, rng, shape2(N, D), 1),
           *z = ag_add(ag_scale(e, (real)deviation), m);
    Tensor *d = ag_sub(x, z);
    Tensor *log_w = ag_scale(ag_sum_axis(ag_mul(d, d), 1, false), (real)(-0.5 / (s * s)));
    double constant = -D * log(sqrt(2 * M_PI) * s) - log(evidence(D));
    if (posterior) { /* times p(z) / p(z | x) */
        Tensor *prior = ag_scale(ag_sum_axis(ag_mul(z, z), 1, false), (real)-0.5);
        Tensor *chosen = ag_scale(ag_sum_axis(ag_mul(e, e), 1, false), (real)-0.5);
        log_w = ag_add(log_w, ag_sub(prior, chosen));
        constant += D * log(deviation);
    }
    return ag_exp(ag_shift(log_w, constant));
}

static double dimension(Trial *t)
{
    enum { N = 20000, MOST = 4 };
    static double square[N];
    double worst = 0;
    Tape *tape = trial_tape(t);
    tape->no_grad = true;
    for (int D = 1; D <= MOST; D++) {
        tape_reset(tape);
        Tensor *w = weights(tape, trial_rng(t, STREAM + 1), N, D, broken(t, "posterior"));
        for (int i = 0; i < N; i++)
            square[i] = (double)w->data[i] * (double)w->data[i];
        double theory = pow(share_of_one(), -D);
        Mean m = values_mean(square, N);
        worst = values_worst(worst, fabs(m.mean - theory) / m.error);
        explain(t, "D = %d: E[w^2] / p(x)^2 = %6.2f +- %.2f, theory %6.2f: of 100 draws %.0f count",
                D, m.mean, m.error, theory, 100 / theory);
    }
    return worst;
}

/* Draws from p(z | x) without its normaliser: z from p(z) is accepted with the probability p(x | z)
 * / (its largest value, that of z = x). The accepted z are exact draws; the share of them is p(x)
 * (2 pi s^2)^(D/2) = (s e^(-1/2) / sqrt(1 + s^2))^D. Worst of the accepted draws' share, and of
 * their mean, in standard errors. */
static double rejection(Trial *t)
{
    enum { N = 40000, MOST = 4 };
    double worst = 0, one = s * exp(-0.5) / sqrt(1 + s * s), v = s * s / (1 + s * s);
    Rng *rng = trial_rng(t, STREAM + 4);
    for (int D = 1; D <= MOST; D++) {
        double sum = 0, theory = pow(one, D);
        int accepted = 0;
        for (int i = 0; i < N; i++) {
            double square = 0, all = 0;
            for (int d = 0; d < D; d++) {
                double z = rng_normal(rng);
                square += (typical() - z) * (typical() - z);
                all += z;
            }
            double p = exp(-square / (2 * s * s));
            if (rng_uniform(rng) < (broken(t, "half") ? 2 * p : p)) {
                accepted++;
                sum += all / D;
            }
        }
        double mean = sum / accepted, off = mean - typical() / (1 + s * s);
        double errors[2] = {fabs((double)accepted / N - theory) / sqrt(theory * (1 - theory) / N),
                            fabs(off) / sqrt(v / (D * (double)accepted))};
        worst = values_worst(worst, values_worst(errors[0], errors[1]));
        explain(t, "D = %d: %5d of %d accepted, theory %.0f; their mean %.4f, of p(z | x) %.4f", D,
                accepted, N, N * theory, mean, typical() / (1 + s * s));
    }
    explain(t, "D = 20: one of %.1g would be", pow(one, -20));
    return worst;
}

/* The mean of log p(x) - log of the estimate from few draws, over many estimates. */
static double jensen_gap(Trial *t)
{
    enum { D = 2, FEW = 10, REPEATED = 3000 };
    static double gaps[REPEATED];
    Tape *tape = trial_tape(t);
    tape->no_grad = true;
    Tensor *w = weights(tape, trial_rng(t, STREAM + 2), FEW * REPEATED, D, broken(t, "posterior"));
    for (int i = 0; i < REPEATED; i++) {
        double sum = 0;
        for (int k = 0; k < FEW; k++)
            sum += (double)w->data[i * FEW + k];
        gaps[i] = -log(sum / FEW);
    }
    const Mean gap = values_mean(gaps, REPEATED);
    explain(t, "%d estimates from %d draws each: log p(x) - E[log of the estimate] = %.3f +- %.3f",
            REPEATED, FEW, gap.mean, gap.error);
    explain(t, "to second order (E[w^2] / p(x)^2 - 1) / (2 draws) = %.3f",
            (pow(share_of_one(), -D) - 1) / (2 * FEW));
    return gap.mean;
}

const Claim integral_claims[] = {
    {53, against_quadrature,
     "where z has one dimension p(x) can be computed: quadrature and the mean over p(z) agree",
     .slides = {"H: The VAE Model", "H: Training"},
     .quantity = "largest |Monte Carlo - quadrature| in standard errors, 6 points",
     AT_MOST(5, "5 standard errors: once in 290,000 tables of 6"),
     .faults = {{"wide", "z is drawn from N(0, 1.5^2) instead of p(z)"}}},
    {53, dimension,
     "for f(z) = z the effective number of draws from p(z) falls exponentially with the dimension "
     "of z",
     .slides = {"H: Training"},
     .quantity = "largest |E[w^2] / p(x)^2 - theory| in standard errors, D = 1 to 4",
     AT_MOST(5, "theory: 2.6^D; 5 standard errors: once in 430,000 tables of 4"),
     .faults = {{"posterior", "z is drawn from p(z | x): every draw has the same weight"}}},
    {53, rejection,
     "without its normaliser p(z | x) can be drawn from by rejection, with 3.7^D tries for f(z) = "
     "z, s = 1/2",
     .slides = {"H: Let's try EM"},
     .quantity =
         "largest distance of share and mean of the accepted draws in standard errors, D = 1 to 4",
     AT_MOST(5, "one of (s e^(-1/2) / sqrt(1 + s^2))^-D tries; 5 standard errors: once in 200,000 "
                "tables of 8"),
     .faults = {{"half", "p(x | z) is divided by half of its largest value, and cut off at 1"}},
     HOLDS_POISONED("draws in double; no kernel is run")},
    {53, jensen_gap, "the logarithm of a Monte Carlo estimate of p(x) is too small on average",
     .slides = {"H: Training"},
     .quantity = "log p(x) - mean of log of the estimate, D = 2, 10 draws each",
     BETWEEN(0.1, 1,
             "0.29 to second order, 0.4 with the next ones, standard error 0.02; the mean "
             "of log is below the log of the mean"),
     .faults = {{"posterior", "z is drawn from p(z | x): the estimate has no variance"}}},
    {0},
};

/* ---- the picture ----------------------------------------------------------------------------- */

static bool draw_dimension(const Sketch *sketch)
{
    enum { MOST = 10, N = 100000 };
    static double D[MOST], measured[MOST], theory[MOST], posterior[MOST];
    Tape *tape = tape_new(sketch->seed);
    Rng rng = {.seed = sketch->seed, .stream = STREAM + 3};
    tape->no_grad = true;
    for (int i = 0; i < MOST; i++) {
        double sum = 0, square = 0;
        tape_reset(tape);
        Tensor *w = weights(tape, &rng, N, i + 1, false);
        for (int k = 0; k < N; k++) {
            sum += (double)w->data[k];
            square += (double)w->data[k] * (double)w->data[k];
        }
        D[i] = i + 1;
        measured[i] = sum * sum / square;
        theory[i] = N * pow(share_of_one(), i + 1);
        posterior[i] = N;
    }
    tape_free(tape);
    const PlotSeries series[] = {{"z from p(z), measured", D, measured, MOST},
                                 {"z from p(z), theory", D, theory, MOST},
                                 {"z from p(z | x)", D, posterior, MOST}};
    return SKETCH_CURVES(sketch, "Of 100,000 draws so many count", series,
                         .x_name = "dimension of z", .y_name = "effective number of draws",
                         .log_y = true);
}

const Figure integral_figures[] = {
    {53, "dimension", draw_dimension,
     .what = "the effective number of draws from p(z), by the dimension of z"},
    {0},
};
