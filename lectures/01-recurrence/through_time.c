/* through_time.c: the gradient of an RNN through time, and that of attention (row 2). The derivation: through_time.h. */
#include "lectures/01-recurrence/through_time.h"

enum { RHOS = 3 };
static const double rhos[RHOS] = {0.7, 1, 1.3};

/* sum_i x_i^2 of row b; with slopes, sum_i (1 - h_i^2)^2 x_i^2. */
static double square(const real *x, const Tensor *slopes_of, int b)
{
    double sum = 0;
    for (int i = 0; i < UNITS; i++) {
        double h = slopes_of ? (double)slopes_of->data[b * UNITS + i] : 0;
        double term = (1 - h * h) * (double)x[b * UNITS + i];
        sum += term * term;
    }
    return sum;
}

/* ---- one step backward ------------------------------------------------------------------------------------------- */

/* Line 3 at every step of every sequence: the largest relative error of |g_(t-1)|^2. */
static double step_backward(Trial *t)
{
    Params *params = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    RunSetting s = {.rho = 1.3,
                    .size = 0.5,
                    .T = 20,
                    .not_orthogonal = broken(t, "not-orthogonal")};
    Run run;
    double worst = run_through_time(tape, params, s, t->seed, &run) ? 0 : (double)NAN;
    for (int k = s.T; k > 1; k--)
        for (int b = 0; b < SEQUENCES; b++) {
            bool flat = broken(t, "no-slope");
            double g = square(run.h[k - 1]->grad, NULL, b);
            double line3 = s.rho * s.rho * square(run.h[k]->grad, flat ? NULL : run.h[k], b);
            worst = values_worst(worst, fabs(g - line3) / line3);
            if (b == 0 && k % 5 == 0)
                explain(t, "t = %2d: |g_(t-1)|^2 = %.5f, rho^2 sum d^2 g^2 = %.5f", k, g, line3);
        }
    tape_free(tape);
    params_free(params);
    return worst;
}

const Claim claim_step_backward = {
    .row = 2,
    .statement = "one step of backward through an RNN scales |dL/dh|^2 by rho^2 times a weighted "
                 "mean of tanh'^2",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers"},
    .quantity = "largest relative error of |g_(t-1)|^2 = rho^2 sum d^2 g^2, 19 steps, 20 sequences",
    AT_MOST(2e-5),
    .why = "sums of 64 products in float: 64 roundings of 6e-8 in g, squared, and again in Q",
    .faults = {{"not-orthogonal", "a matrix of the same size that changes lengths"},
               {"no-slope", "tanh' is taken for 1"}},
    .measure = step_backward,
};

/* ---- the slope of log |dL/dx_1| against T ----------------------------------------------------------------------------- */

enum { LENGTHS = 4 };
static const int lengths[LENGTHS] = {15, 30, 45, 60};

/* The means over a batch: of log |dL/dx_1| / |dL/dh_T|, and per step and unit of log tanh' and of log rms tanh'. */
typedef struct {
    double log_gradient, mean_log, log_rms;
} Decay;

/* From step 5 on: until then h grows from 0. */
static Decay decay_of(const Run *run)
{
    enum { FROM = 5 };
    Decay d = {0};
    for (int b = 0; b < SEQUENCES; b++) {
        d.log_gradient +=
            log(square(run->x[1]->grad, NULL, b) / square(run->h[run->T]->grad, NULL, b)) / 2 /
            SEQUENCES;
        for (int k = FROM; k <= run->T; k++) {
            double squares = 0;
            for (int i = 0; i < UNITS; i++) {
                double h = (double)run->h[k]->data[b * UNITS + i], slope = 1 - h * h;
                squares += slope * slope / UNITS;
                d.mean_log += log(slope) / (UNITS * SEQUENCES * (run->T - FROM + 1));
            }
            d.log_rms += log(squares) / 2 / (SEQUENCES * (run->T - FROM + 1));
        }
    }
    return d;
}

static Decay decay_at(uint64_t seed, RunSetting s)
{
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Run run;
    Decay d = {NAN, NAN, NAN};
    if (run_through_time(tape, params, s, seed, &run))
        d = decay_of(&run);
    tape_free(tape);
    params_free(params);
    return d;
}

/* The slope of y against x by least squares. */
static double slope_of(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, top = 0, bottom = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        top += (x[i] - mx) * (y[i] - my);
        bottom += (x[i] - mx) * (x[i] - mx);
    }
    return top / bottom;
}

static double slope_against_length(Trial *t)
{
    double worst = 0;
    for (int r = 0; r < RHOS; r++) {
        double x[LENGTHS], y[LENGTHS], expected = 0, means = 0;
        for (int i = 0; i < LENGTHS; i++) {
            RunSetting s = {.rho = rhos[r], .size = 0.3, .T = lengths[i]};
            Decay d = decay_at(t->seed, s);
            x[i] = lengths[i];
            y[i] = d.log_gradient;
            expected = log(s.rho) + d.log_rms;
            means = log(s.rho) + d.mean_log;
        }
        double slope = slope_of(x, y, LENGTHS);
        explain(t,
                "rho = %.1f: slope %+.4f; log rho %+.4f; + log rms tanh' %+.4f; + mean log tanh' "
                "%+.4f",
                rhos[r], slope, log(rhos[r]), expected, means);
        if (broken(t, "no-slope"))
            expected = log(rhos[r]);
        worst = values_worst(worst, fabs(slope - (broken(t, "mean-log") ? means : expected)));
    }
    return worst;
}

const Claim claim_slope = {
    .row = 2,
    .statement = "log |dL/dx_1| is a line in T, of slope log rho + log rms tanh'",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers"},
    .quantity = "largest |slope - (log rho + log rms tanh')|, rho = 0.7, 1, 1.3, T = 15 to 60",
    AT_MOST(0.015),
    .why = "64 units, 45 steps, 20 sequences: an error of 0.002, and log of a mean is off by 0.003",
    .faults = {{"no-slope", "tanh' is taken for 1"},
               {"mean-log", "the mean of log tanh', which is that of all directions"}},
    .measure = slope_against_length,
};

/* ---- exploding: while the states are small ------------------------------------------------------------------------- */

/* The slope at rho = 1.3 between two lengths. */
static double slope_at(uint64_t seed, double size, int from, int to)
{
    RunSetting s = {.rho = 1.3, .size = size, .T = from};
    double first = decay_at(seed, s).log_gradient;
    s.T = to;
    return (decay_at(seed, s).log_gradient - first) / (to - from);
}

/* No number where it does not explode with states near 0: there the slope must be log 1.3. */
static double explodes_while_small(Trial *t)
{
    double small = slope_at(t->seed, 1e-8, 10, 40), usual = slope_at(t->seed, 0.3, 15, 60);
    explain(t, "rho = 1.3: slope %+.4f with inputs of 1e-8 (log 1.3 = %+.4f), %+.4f with 0.3",
            small, log(1.3), usual);
    if (!(fabs(small - log(1.3)) < 1e-3))
        return (double)NAN;
    return broken(t, "small-states") ? small : usual;
}

const Claim claim_explodes = {
    .row = 2,
    .statement =
        "with rho = 1.3 gradients explode only while h is near 0: large states saturate tanh",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?"},
    .quantity = "slope of log |dL/dx_1| against T with inputs of 0.3 (with 1e-8: log 1.3)",
    AT_MOST(0),
    .why = "h grows until tanh' makes up for rho: log 1.3 + log rms tanh' = -0.03, error 0.003",
    .faults = {{"small-states", "inputs of 1e-8: tanh' stays 1"}},
    .against = {QUALIFIED, "V: RNN vs Transformers: Why RNNs fall short?",
                "RNNs are hard to train because gradients explode"},
    .measure = explodes_while_small,
};

/* ---- the mean over all directions ------------------------------------------------------------------------------------- */

/* log |det M| of a matrix (UNITS, UNITS) by elimination with pivots; destroys it. */
static double log_determinant(double m[UNITS][UNITS])
{
    double sum = 0;
    for (int k = 0; k < UNITS; k++) {
        int pivot = k;
        for (int i = k + 1; i < UNITS; i++)
            if (fabs(m[i][k]) > fabs(m[pivot][k]))
                pivot = i;
        for (int j = k; j < UNITS; j++) {
            double swapped = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = swapped;
        }
        sum += log(fabs(m[k][k]));
        for (int i = k + 1; i < UNITS; i++) {
            double share = m[i][k] / m[k][k];
            for (int j = k; j < UNITS; j++)
                m[i][j] -= share * m[k][j];
        }
    }
    return sum;
}

/* The Jacobian dh_T/dh_1 of one sequence: as many copies of it as units, each with a unit vector as dL/dh_T. Returns
 * the mean of log tanh' over steps 2 .. T and units. */
static double jacobian(uint64_t seed, double rho, int T, double m[UNITS][UNITS])
{
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 102};
    RNNCell cell;
    RNNState state = {0};
    Tensor *first = NULL;
    static real upstream[UNITS * UNITS];
    double mean = 0;
    orthogonal_cell(&cell, params, (RunSetting){.rho = rho}, &rng);
    for (int k = 1; k <= T; k++) {
        Tensor *x = values_normal(tape, &rng, shape2(1, UNITS), 0.3);
        Tensor *copies = ag_add(x, tape_full(tape, 0, shape2(UNITS, UNITS)));
        Tensor *h = nn_rnn_cell(&cell, copies, &state);
        first = k == 1 ? ag_keep(h) : first;
        for (int i = 0; k > 1 && i < UNITS; i++)
            mean += log(1 - (double)h->data[i] * (double)h->data[i]) / (UNITS * (T - 1));
    }
    for (int i = 0; i < UNITS * UNITS; i++)
        upstream[i] = i % (UNITS + 1) == 0;
    bool ok = ag_backward_from(state.h, upstream);
    for (int i = 0; i < UNITS * UNITS; i++)
        m[i / UNITS][i % UNITS] = ok ? (double)first->grad[i] : (double)NAN;
    tape_free(tape);
    params_free(params);
    return mean;
}

/* (1 / n) log |det dh_T/dh_1| is the mean of the logarithms of its n singular values: how an average direction grows. */
static double mean_direction(Trial *t)
{
    enum { T = 9 };
    static double m[UNITS][UNITS];
    double worst = 0;
    for (int r = 0; r < RHOS; r++) {
        double means = jacobian(t->seed, rhos[r], T, m);
        double expected = log(broken(t, "other-rho") ? rhos[RHOS - 1 - r] : rhos[r]) + means;
        double measured = log_determinant(m) / (UNITS * (T - 1));
        explain(t,
                "rho = %.1f: mean log singular value %+.6f a step, log rho + mean log tanh' %+.6f",
                rhos[r], measured, expected);
        worst = values_worst(worst, fabs(measured - expected));
    }
    return worst;
}

const Claim claim_mean_direction = {
    .row = 2,
    .statement = "over all directions the mean slope is log rho + mean log tanh', exactly",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?"},
    .quantity = "largest |(1/n) log |det dh_9/dh_1| / 8 - (log rho + mean log tanh')|",
    AT_MOST(1e-4),
    .why = "det of a product is the product of det; float's 1e-6 times singular values 1 : 100",
    .faults = {{"other-rho", "rho of another matrix"}},
    .measure = mean_direction,
};

/* ---- figure ------------------------------------------------------------------------------------------------------------- */

enum { TIMES = 12, LAST = 5 * TIMES, CURVES = RHOS + 2 };

/* |dL/dx_1| / |dL/dh_T| for T = 5, 10 ... 60. Returns log rho + log rms tanh' of the longest run. */
static double course_of(uint64_t seed, double rho, double size, double *y)
{
    double slope = 0;
    for (int i = 0; i < TIMES; i++) {
        RunSetting s = {.rho = rho, .size = size, .T = 5 * (i + 1)};
        Decay d = decay_at(seed, s);
        slope = log(rho) + d.log_rms;
        y[i] = exp(d.log_gradient);
    }
    return slope;
}

/* The five measured courses, and for each what the theory says of T = 1 .. 60: e^(slope T), and 1/T for attention, whose
 * factor is that of the longest run. */
static void courses(uint64_t seed, double y[CURVES][TIMES], double theory[CURVES][LAST])
{
    for (int k = 0; k <= RHOS; k++) {
        bool small = k == RHOS;
        double slope = course_of(seed, small ? 1.3 : rhos[k], small ? 1e-8 : 0.3, y[k]);
        for (int T = 1; T <= LAST; T++)
            theory[k][T - 1] = exp((small ? log(1.3) : slope) * T);
    }
    for (int i = 0; i < TIMES; i++)
        y[RHOS + 1][i] = exp(direct_log_gradient(seed, 5 * (i + 1), 0));
    for (int T = 1; T <= LAST; T++)
        theory[RHOS + 1][T - 1] = y[RHOS + 1][TIMES - 1] * LAST / T;
}

static bool draw_through_time(const Sketch *s)
{
    static const char *const names[CURVES] = {"RNN, \xcf\x81 = 0.7", "RNN, \xcf\x81 = 1",
                                              "RNN, \xcf\x81 = 1.3",
                                              "RNN, \xcf\x81 = 1.3, states near 0", "attention"};
    static const int order[CURVES] = {3, 4, 0, 1, 2}; /* so that lines have the colours of points */
    static double T[TIMES], steps[LAST], y[CURVES][TIMES], theory[CURVES][LAST];
    PlotSeries series[2 * CURVES];
    for (int i = 0; i < LAST; i++) {
        steps[i] = i + 1;
        T[i / 5] = 5 * (i / 5 + 1);
    }
    courses(s->seed, y, theory);
    for (int k = 0; k < CURVES; k++) {
        series[k] = (PlotSeries){names[k], T, y[k], TIMES};
        series[CURVES + k] =
            (PlotSeries){k ? NULL : "without points: theory", steps, theory[order[k]], LAST};
    }
    const PlotCurves curves = {.series = series,
                               .count = 2 * CURVES,
                               .title =
                                   sketch_title(s, "What is left of the gradient after T steps"),
                               .x_name = "T",
                               .y_name = "|dL/dx\xe2\x82\x81| / |dL/dh| of step T",
                               .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_through_time = {
    .row = 2,
    .name = "through-time",
    .what = "log |dL/dx_1| against T: lines for an RNN, a curve 1/T for attention",
    .draw = draw_through_time,
};
