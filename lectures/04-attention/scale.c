/* scale.c: why the scores are divided by sqrt(d) (row 21).
 *
 *   q_i, k_i independent, mean 0, variance 1:  Var(q_i k_i) = 1,  Var(q . k) = d,  Var(q . k / sqrt d) = 1
 *                                              H "What is Attention", V "Self-Attention" */
#include "lectures/04-attention/attention.h"

#include <math.h>

enum { PAIRS = 10000, WIDTHS = 6 };
static const int widths[WIDTHS] = {1, 4, 16, 64, 256, 1024};

/* The sample variance of the scores, and the standard error of that estimate: sqrt((m4 - s^4) / n),
 * from the fourth central moment m4. */
typedef struct {
    double variance, error;
} Estimate;

static Estimate estimate(const Tensor *scores)
{
    int64_t n = tensor_size(scores);
    double m1 = 0, m2 = 0, m4 = 0;
    for (int64_t p = 0; p < n; p++)
        m1 += (double)scores->data[p] / (double)n;
    for (int64_t p = 0; p < n; p++) {
        double off = (double)scores->data[p] - m1;
        m2 += off * off / (double)n;
        m4 += off * off * off * off / (double)n;
    }
    return (Estimate){m2, sqrt((m4 - m2 * m2) / (double)n)};
}

/* Products of n queries, each with a key of its own: q . k of width d, times `scale`. The entries
 * have variance 1 and the given mean; same: each key is the query. */
typedef struct {
    int d, pairs;
    double scale, mean;
    bool same;
} Scores;

static Tensor *draw_scores(Tape *tape, Rng *rng, Scores s)
{
    tape_reset(tape);
    Tensor *shift = tape_full(tape, (real)s.mean, shape2(1, 1));
    Tensor *q = ag_add(values_normal(tape, rng, shape2(s.pairs, s.d), 1), shift);
    Tensor *k = s.same ? q : ag_add(values_normal(tape, rng, shape2(s.pairs, s.d), 1), shift);
    return ag_scale(ag_sum_axis(ag_mul(q, k), 1, false), (real)s.scale);
}

/* Fewer pairs where each takes more numbers. */
static int pairs_of(int d)
{
    int n = 400000 / d;
    return n > PAIRS ? PAIRS : n;
}

/* Var(q.k) against d, or, divided by sqrt(d), against 1: the larger deviation in errors. */
static double worst_deviation(Trial *t)
{
    Rng *rng = trial_rng(t, 210);
    double worst = 0;
    for (int i = 0; i < 2 * WIDTHS; i++) {
        int d = widths[i / 2], n = pairs_of(d);
        bool scaled = i % 2 == 1, divide = scaled && !broken(t, "no-scaling");
        double expected = scaled ? 1 : d;
        Estimate e = estimate(draw_scores(trial_tape(t), rng,
                                          (Scores){.d = d,
                                                   .pairs = n,
                                                   .scale = divide ? 1 / sqrt(d) : 1,
                                                   .mean = broken(t, "mean-one"),
                                                   .same = broken(t, "same-vector")}));
        double z = fabs(e.variance - expected) / e.error;
        explain(t, "d = %4d, %s: Var = %9.3f +- %.3f, expected %4g (%.1f standard errors)", d,
                scaled ? "divided" : "q.k", e.variance, e.error, expected, z);
        worst = values_worst(worst, z);
    }
    return worst;
}

/* ---- what a large variance does -------------------------------------------------------------- */

enum { BATCHES = 20, QUERIES = 100, KEYS = 16 };

static double slope_of(const Tensor *A)
{
    double sum = 0;
    for (int64_t i = 0; i < tensor_size(A); i++)
        sum += (double)A->data[i] * (1 - (double)A->data[i]);
    return sum;
}

/* The mean over BATCHES * QUERIES queries of sum_j a_j (1 - a_j), the trace of the softmax's
 * Jacobian dA / ds: how much a change of the scores changes the weights. trace[1]: of scaled
 * scores; trace[0]: of the same ones as they are. */
static void slopes(Tape *tape, Rng *rng, int d, double trace[2])
{
    trace[0] = trace[1] = 0;
    for (int b = 0; b < BATCHES; b++) {
        tape_reset(tape);
        Tensor *q = values_normal(tape, rng, shape2(QUERIES, d), 1);
        Tensor *k = values_normal(tape, rng, shape2(KEYS, d), 1);
        Tensor *scores = ag_matmul(q, ag_transpose(k, 0, 1));
        for (int scaled = 0; scaled < 2; scaled++) {
            Tensor *A = ag_softmax(scaled ? ag_scale(scores, (real)(1 / sqrt(d))) : scores);
            trace[scaled] += slope_of(A) / (BATCHES * QUERIES);
        }
    }
}

static double saturation(Trial *t)
{
    double trace[2] = {0};
    for (int d = t->notes ? 1 : 1024; d <= 1024; d *= 4) {
        Rng rng = {.seed = t->seed, .stream = 212}; /* for each width: notes change no value */
        slopes(trial_tape(t), &rng, d, trace);
        explain(t, "d = %4d: sum of a (1 - a) is %.4f without, %.4f with scaling; at most %.4f", d,
                trace[0], trace[1], 1 - 1.0 / KEYS);
    }
    return trace[broken(t, "no-scaling") ? 0 : 1] / trace[0];
}

const Claim scale_claims[] = {
    {21, worst_deviation,
     "Var(q.k) = d for independent entries of variance 1, and 1 after division by sqrt(d)",
     .slides = {"H: What is Attention", "V: Self-Attention",
                "Z: Scaled dot-product self-attention layer", "J: Self-attention layer"},
     .quantity = "largest |Var - d|, or |Var - 1|, in standard errors, d = 1 to 1024",
     AT_MOST(5, "5 standard errors: by chance once in 145,000 such tables of 12, were the errors "
                "normal"),
     .faults = {{"same-vector", "the query is the key: the entries are not independent"},
                {"mean-one", "entries of mean 1: H's silent assumption is mean 0"},
                {"no-scaling", "the scores are not divided by sqrt(d)"}}},
    {21, saturation,
     "without scaling the softmax saturates: its slope falls to a tenth at d = 1024",
     .slides = {"V: Self-Attention", "H: What is Attention"},
     .quantity = "slope of the softmax, sum of a (1 - a), scaled over unscaled, d = 1024, 16 keys",
     AT_LEAST(10, "expected 15 with an error of 0.7, from 2,000 queries; 10: a tenth of the slope "
                  "is left"),
     .faults = {{"no-scaling", "the scores are not divided by sqrt(d)"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_variance(const Sketch *s)
{
    Tape *tape = tape_new(s->seed);
    Rng rng = {.seed = s->seed, .stream = 213};
    double x[WIDTHS], y[2][WIDTHS], error[2][WIDTHS], line[WIDTHS], one[WIDTHS];
    for (int i = 0; i < WIDTHS; i++) {
        int d = widths[i], n = 4 * pairs_of(d);
        x[i] = log2(d);
        line[i] = d;
        one[i] = 1;
        for (int scaled = 0; scaled < 2; scaled++) {
            Scores drawn = {.d = d, .pairs = n, .scale = scaled ? 1 / sqrt(d) : 1};
            Estimate e = estimate(draw_scores(tape, &rng, drawn));
            y[scaled][i] = e.variance;
            error[scaled][i] = 2 * e.error;
        }
    }
    tape_free(tape);
    const PlotSeries series[] = {{"q\xc2\xb7k, measured", x, y[0], WIDTHS},
                                 {"theory: d", x, line, WIDTHS},
                                 {"q\xc2\xb7k / \xe2\x88\x9a"
                                  "d, measured",
                                  x, y[1], WIDTHS},
                                 {"theory: 1", x, one, WIDTHS}};
    const double *const errors[] = {error[0], NULL, error[1], NULL};
    const PlotCurves curves = {
        .series = series,
        .count = 4,
        .title = sketch_title(s, "The variance of a score, by width; bars: 2 standard errors"),
        .x_name = "log\xe2\x82\x82 of the width d",
        .y_name = "variance",
        .errors = errors,
        .log_y = true,
        .y_low = 0.5,
        .y_high = 2048};
    return plot_curves(s->stem, &curves, s->formats);
}

static bool compute_saturation(const double *value, const char *text)
{
    static const char *const keys[KEYS] = {"1", "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                           "9", "10", "11", "12", "13", "14", "15", "16"};
    static const char *const names[] = {"softmax(q·k)", "softmax(q·k / √d)"};
    const int d = 1 << (int)value[0];
    Rng rng = {.seed = (uint64_t)value[1], .stream = 218};
    Tape *tape = tape_new(rng.seed);
    (void)text;
    Tensor *q = values_normal(tape, &rng, shape2(1, d), 1);
    Tensor *k = values_normal(tape, &rng, shape2(KEYS, d), 1);
    Tensor *scores = ag_matmul(q, ag_transpose(k, 0, 1));
    computed_axes("key", "weight a", false);
    computed_fact("d = %d. ", d);
    bool ok = true;
    for (int scaled = 1; ok && scaled >= 0; scaled--) {
        Tensor *A = ag_softmax(scaled ? ag_scale(scores, (real)(1 / sqrt(d))) : scores);
        double a[KEYS];
        ok = !tensor_is_poison(A);
        for (int j = 0; ok && j < KEYS; j++)
            a[j] = (double)A->data[j];
        if (ok) {
            computed_bars(names[scaled], KEYS, keys, a);
            computed_fact("%s: largest weight %.4f, slope Σ a(1 − a) = %.4f. ", names[scaled],
                          values_largest(A), slope_of(A));
        }
    }
    tape_free(tape);
    return ok;
}

const ComputedFigure saturation_computed = {
    .name = "saturation",
    .title = "Why divide by √d: one query and 16 keys",
    .about =
        "Entries of q and k are drawn from N(0, 1). Move d: without the division one key takes "
        "all the weight, and the slope, by which a score still moves the weights, vanishes.",
    .control = {{"log₂ d", 0, 10, 1, 6}, {"seed", 1, 20, 1, 1}},
    .compute = compute_saturation};

static bool draw_saturation(const Sketch *s)
{
    double x[WIDTHS], plain[WIDTHS], scaled[WIDTHS], most[WIDTHS], trace[2];
    Tape *tape = tape_new(s->seed);
    Rng rng = {.seed = s->seed, .stream = 214};
    for (int i = 0; i < WIDTHS; i++) {
        slopes(tape, &rng, widths[i], trace);
        x[i] = log2(widths[i]);
        plain[i] = trace[0];
        scaled[i] = trace[1];
        most[i] = 1 - 1.0 / KEYS;
    }
    tape_free(tape);
    const PlotSeries series[] = {{"softmax(q\xc2\xb7k)", x, plain, WIDTHS},
                                 {"softmax(q\xc2\xb7k / \xe2\x88\x9a"
                                  "d)",
                                  x, scaled, WIDTHS},
                                 {"equal weights: 1 \xe2\x88\x92 1/16", x, most, WIDTHS}};
    const PlotCurves curves = {
        .series = series,
        .count = 3,
        .title = sketch_title(s, "How much a score still moves the weights, by width"),
        .x_name = "log\xe2\x82\x82 of the width d",
        .y_name = "slope of the softmax, \xce\xa3 a(1 \xe2\x88\x92 a)",
        .y_low = 0,
        .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure scale_figures[] = {
    {21, "variance", draw_variance,
     .what = "the variance of q.k grows with d, that of q.k / sqrt(d) does not"},
    {21, "saturation", draw_saturation,
     .what = "without scaling one key takes all the weight as d grows, and the slope vanishes",
     .computed = &saturation_computed},
    {0},
};
