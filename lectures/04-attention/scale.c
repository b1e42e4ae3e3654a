/* scale.c: why the scores are divided by sqrt(d) (row 21).
 *
 *   q_i, k_i independent, mean 0, variance 1:   Var(q_i k_i) = 1,  Var(q . k) = d,  Var(q . k / sqrt d) = 1
 *                                               H "What is Attention", V "Self-Attention" */
#include "lectures/04-attention/attention.h"

#include <math.h>

enum { PAIRS = 20000, WIDTHS = 6 };
static const int widths[WIDTHS] = {1, 4, 16, 64, 256, 1024};

/* The sample variance of q . k over many pairs of width d, and the standard error of that estimate:
 * sqrt((m4 - s^4) / n), from the fourth central moment. */
typedef struct {
    double variance, error;
} Estimate;

static Estimate variance_of_scores(Rng *rng, int d, int pairs, bool same, double scale)
{
    double m1 = 0, m2 = 0, m4 = 0;
    static double score[PAIRS];
    for (int p = 0; p < pairs; p++) {
        double dot = 0;
        for (int i = 0; i < d; i++) {
            double q = rng_normal(rng), k = same ? q : rng_normal(rng);
            dot += q * k;
        }
        score[p] = scale * dot;
        m1 += score[p] / pairs;
    }
    for (int p = 0; p < pairs; p++) {
        double off = score[p] - m1;
        m2 += off * off / pairs;
        m4 += off * off * off * off / pairs;
    }
    return (Estimate){m2, sqrt((m4 - m2 * m2) / pairs)};
}

/* Fewer pairs where each takes more numbers. */
static int pairs_of(int d)
{
    int n = 1000000 / d;
    return n > PAIRS ? PAIRS : n;
}

static double worst_deviation(Trial *t, bool scaled)
{
    Rng rng = {.seed = t->seed, .stream = scaled ? 211 : 210};
    double worst = 0;
    bool divide = scaled && !broken(t, "no-scaling");
    for (int i = 0; i < WIDTHS; i++) {
        int d = widths[i], n = pairs_of(d);
        double expected = scaled ? 1 : d;
        Estimate e = variance_of_scores(&rng, d, n, !scaled && broken(t, "same-vector"),
                                        divide ? 1 / sqrt(d) : 1);
        double z = fabs(e.variance - expected) / e.error;
        explain(t, "d = %4d, %5d pairs: Var = %9.3f +- %.3f, expected %4g (%.1f standard errors)",
                d, n, e.variance, e.error, expected, z);
        worst = values_worst(worst, z);
    }
    return worst;
}

static double plain_variance(Trial *t)
{
    return worst_deviation(t, false);
}

static double scaled_variance(Trial *t)
{
    return worst_deviation(t, true);
}

const Claim claim_variance = {
    .row = 21,
    .statement = "Var(q.k) = d for independent entries of variance 1",
    .slides = {"H: What is Attention", "V: Self-Attention"},
    .quantity = "largest |Var - d| in standard errors, d = 1 to 1024",
    AT_MOST(4),
    .why = "4 standard errors: by chance once in 2,600 such tables of 6",
    .faults = {{"same-vector", "the query is the key: the entries are not independent"}},
    .measure = plain_variance,
};

const Claim claim_scaled_variance = {
    .row = 21,
    .statement = "divided by sqrt(d), q.k has variance 1 at every d",
    .slides = {"H: What is Attention", "V: Self-Attention",
               "Z: Scaled dot-product self-attention layer", "J: Self-attention layer"},
    .quantity = "largest |Var - 1| in standard errors, d = 1 to 1024",
    AT_MOST(4),
    .why = "4 standard errors: by chance once in 2,600 such tables of 6",
    .faults = {{"no-scaling", "the scores are not divided by sqrt(d)"}},
    .measure = scaled_variance,
};

/* ---- what a large variance does ------------------------------------------------------------------------ */

enum { QUERIES = 64, KEYS = 16 };

/* For queries and keys of width d: the mean of the largest weight, and how much of a gradient passes the softmax
 * (the mean over rows of sum_j a_j (1 - a_j), the trace of its Jacobian). */
typedef struct {
    double largest, passes;
} Softness;

static Softness softness(Tape *tape, Rng *rng, int d, bool scaled)
{
    tape_reset(tape);
    Tensor *q = values_normal(tape, rng, shape2(QUERIES, d), 1);
    Tensor *k = values_normal(tape, rng, shape2(KEYS, d), 1);
    Tensor *scores = ag_matmul(q, ag_transpose(k, 0, 1));
    Tensor *A = ag_softmax(scaled ? ag_scale(scores, (real)(1 / sqrt(d))) : scores);
    Softness s = {0};
    for (int n = 0; n < QUERIES; n++) {
        double most = 0;
        for (int m = 0; m < KEYS; m++) {
            double a = (double)A->data[n * KEYS + m];
            most = values_worst(most, a);
            s.passes += a * (1 - a) / QUERIES;
        }
        s.largest += most / QUERIES;
    }
    return s;
}

static double saturation(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 212};
    double ratio = 0;
    for (int i = 0; i < WIDTHS; i++) {
        Softness scaled = softness(tape, &rng, widths[i], !broken(t, "no-scaling"));
        Softness plain = softness(tape, &rng, widths[i], false);
        ratio = scaled.passes / plain.passes;
        explain(t,
                "d = %4d: largest weight %.3f without, %.3f with scaling; sum a (1 - a) %.4f and "
                "%.4f",
                widths[i], plain.largest, scaled.largest, plain.passes, scaled.passes);
    }
    tape_free(tape);
    return ratio;
}

const Claim claim_saturation = {
    .row = 21,
    .statement = "without scaling the softmax saturates and passes little gradient",
    .slides = {"V: Self-Attention", "H: What is Attention"},
    .quantity = "sum of a (1 - a), scaled over unscaled, at d = 1024",
    AT_LEAST(10),
    .why =
        "scores of deviation 32 leave one key nearly all: less than a tenth of the slope is left",
    .faults = {{"no-scaling", "the scores are not divided by sqrt(d)"}},
    .measure = saturation,
};

/* ---- figures -------------------------------------------------------------------------------------------- */

static bool draw_variance(const Sketch *s)
{
    Rng rng = {.seed = s->seed, .stream = 213};
    double x[WIDTHS], plain[WIDTHS], scaled[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        x[i] = widths[i];
        plain[i] = variance_of_scores(&rng, widths[i], pairs_of(widths[i]), false, 1).variance;
        scaled[i] =
            variance_of_scores(&rng, widths[i], pairs_of(widths[i]), false, 1 / sqrt(widths[i]))
                .variance;
    }
    const PlotSeries series[] = {{"q\xc2\xb7k", x, plain, WIDTHS},
                                 {"q\xc2\xb7k / \xe2\x88\x9a"
                                  "d",
                                  x, scaled, WIDTHS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "The variance of a score, by width"),
                               .x_name = "width d",
                               .y_name = "variance",
                               .log_x = true,
                               .log_y = true,
                               .y_low = 0.1,
                               .y_high = 10000};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_variance = {
    .row = 21,
    .name = "variance",
    .what = "the variance of q.k grows with d, that of q.k / sqrt(d) does not",
    .draw = draw_variance,
};

static bool draw_saturation(const Sketch *s)
{
    Tape *tape = tape_new(s->seed);
    Rng rng = {.seed = s->seed, .stream = 214};
    double x[WIDTHS], plain[WIDTHS], scaled[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        x[i] = widths[i];
        plain[i] = softness(tape, &rng, widths[i], false).largest;
        scaled[i] = softness(tape, &rng, widths[i], true).largest;
    }
    tape_free(tape);
    const PlotSeries series[] = {{"softmax(q\xc2\xb7k)", x, plain, WIDTHS},
                                 {"softmax(q\xc2\xb7k / \xe2\x88\x9a"
                                  "d)",
                                  x, scaled, WIDTHS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "The largest of 16 weights, by width"),
                               .x_name = "width d",
                               .y_name = "largest weight, mean over queries",
                               .log_x = true,
                               .y_low = 0,
                               .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_saturation = {
    .row = 21,
    .name = "saturation",
    .what = "without scaling one key takes all the weight as d grows",
    .draw = draw_saturation,
};
