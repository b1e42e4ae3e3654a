/* through_time.c: the gradient of an RNN through time, and that of attention (row 2). The
 * derivation: through_time.h. */
#include "lectures/01-recurrence/through_time.h"

#include <string.h>

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

/* ---- one step backward ----------------------------------------------------------------------- */

/* Line 3 at every step of every sequence: the largest relative error of |g_(t-1)|^2. */
static double step_backward(Trial *t)
{
    Params *params = trial_params(t);
    RunSetting s = {.rho = 1.3,
                    .size = 0.5,
                    .T = 20,
                    .not_orthogonal = broken(t, "not-orthogonal")};
    Run run;
    double worst = run_through_time(trial_tape(t), params, s, t->seed, &run) ? 0 : (double)NAN;
    for (int k = s.T; k > 1; k--)
        for (int b = 0; b < SEQUENCES; b++) {
            bool flat = broken(t, "no-slope");
            double g = square(run.h[k - 1]->grad, NULL, b);
            double line3 = s.rho * s.rho * square(run.h[k]->grad, flat ? NULL : run.h[k], b);
            worst = values_worst(worst, fabs(g - line3) / line3);
            if (b == 0 && k % 5 == 0)
                explain(t, "t = %2d: |g_(t-1)|^2 = %.5f, rho^2 sum d^2 g^2 = %.5f", k, g, line3);
        }
    return worst;
}

/* ---- the slope of log |dL/dx_(T-k)| against k ------------------------------------------------ */

/* The means over a batch: of log |dL/dx_(T-k)| / |dL/dh_T| for k = 0 .. T - 1, and per step and
 * unit of log tanh' and of log rms tanh'. */
typedef struct {
    double left[LONGEST_RUN], mean_log, log_rms;
} Course;

/* h grows from 0 over the first steps, which do not count: the last k, and the first step of the
 * two means. */
enum { STEPS = 60, LAST = STEPS - 15, FROM = STEPS - LAST };

static Course course_of(const Run *run)
{
    Course c = {{0}, 0, 0};
    for (int b = 0; b < SEQUENCES; b++) {
        double upstream = square(run->h[run->T]->grad, NULL, b);
        for (int k = 0; k < run->T; k++)
            c.left[k] += log(square(run->x[run->T - k]->grad, NULL, b) / upstream) / 2 / SEQUENCES;
        for (int k = FROM; k <= run->T; k++) {
            double squares = 0;
            for (int i = 0; i < UNITS; i++) {
                double h = (double)run->h[k]->data[b * UNITS + i], slope = 1 - h * h;
                squares += slope * slope / UNITS;
                c.mean_log += log(slope) / (UNITS * SEQUENCES * (run->T - FROM + 1));
            }
            c.log_rms += log(squares) / 2 / (SEQUENCES * (run->T - FROM + 1));
        }
    }
    return c;
}

static Course course_at(uint64_t seed, double rho, double size, bool first_alone)
{
    RunSetting s = {.rho = rho, .size = size, .T = STEPS, .first_alone = first_alone};
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Run run;
    Course c = {.left = {NAN}, .mean_log = NAN, .log_rms = NAN};
    if (run_through_time(tape, params, s, seed, &run))
        c = course_of(&run);
    tape_free(tape);
    params_free(params);
    return c;
}

/* The slope of log |dL/dx_(T-k)| against k = 0 .. LAST by least squares. */
static double slope_of(const Course *c)
{
    double mean = 0, top = 0, bottom = 0;
    for (int k = 0; k <= LAST; k++)
        mean += c->left[k] / (LAST + 1);
    for (int k = 0; k <= LAST; k++) {
        double off = k - LAST / 2.0;
        top += off * (c->left[k] - mean);
        bottom += off * off;
    }
    return top / bottom;
}

/* How far the course is from the line of this slope through its first point, at most. */
static double off_line(const Course *c, double slope)
{
    double worst = 0;
    for (int k = 0; k <= LAST; k++)
        worst = values_worst(worst, fabs(c->left[k] - c->left[0] - slope * k));
    return worst;
}

static double line_in_distance(Trial *t)
{
    double worst = 0;
    for (int r = 0; r < RHOS; r++) {
        Course c = course_at(t->seed, rhos[r], 0.3, false);
        double rms = log(rhos[r]) + c.log_rms, means = log(rhos[r]) + c.mean_log;
        double expected = broken(t, "no-slope")   ? log(rhos[r])
                          : broken(t, "mean-log") ? means
                                                  : rms;
        double off = off_line(&c, expected);
        explain(t,
                "rho = %.1f: slope %+.4f; log rho %+.4f; + log rms tanh' %+.4f; + mean log tanh' "
                "%+.4f; %.2f off the line",
                rhos[r], slope_of(&c), log(rhos[r]), rms, means, off);
        worst = values_worst(worst, off);
    }
    return worst;
}

/* ---- exploding ------------------------------------------------------------------------------- */

/* The slope of infinitely many units (mean field; Poole et al. 2016). h = tanh(sqrt(q) z), z ~ N(0,
 * 1), where q = rho^2 mean h^2 + size^2 is the variance of a_t, which is iterated until it
 * stays. */
static double mean_field_slope(double rho, double size)
{
    enum { ROUNDS = 400, NODES = 400 };
    double q = 1, squares = 0, slopes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        squares = slopes = 0;
        for (int i = 0; i <= NODES; i++) { /* trapezoidal rule on [-8, 8] */
            double z = 16.0 * i / NODES - 8, h = tanh(sqrt(q) * z);
            double weight = 16.0 / NODES * exp(-z * z / 2) / sqrt(8 * atan(1));
            squares += weight * h * h;
            slopes += weight * (1 - h * h) * (1 - h * h);
        }
        q = rho * rho * squares + size * size;
    }
    return log(rho) + log(slopes) / 2;
}

/* The least of the slopes at rho = 1.5, 2, 3, of minus that at rho = 1.3, and of that at rho = 1.3
 * without inputs after the first. */
static double explodes_when_saturated(Trial *t)
{
    static const double above[] = {1.3, 1.5, 2, 3}, sizes[] = {0.03, 0.1, 0.3, 1};
    double size = broken(t, "noise") ? 1 : broken(t, "small-states") ? 1e-8 : 0.3;
    Course alone = course_at(t->seed, 1.3, 0.3, !broken(t, "inputs"));
    double least = slope_of(&alone);
    explain(t, "rho = 1.3, no input after x_1: slope %+.3f; mean field %+.3f; at 1.05 %+.4f", least,
            mean_field_slope(1.3, 0), mean_field_slope(1.05, 0));
    for (int r = 0; r < 4; r++) {
        Course c = course_at(t->seed, above[r], size, false);
        least = values_least(least, r ? slope_of(&c) : -slope_of(&c));
        for (int i = 0; t->notes && i < 4; i++) {
            c = course_at(t->seed, above[r], sizes[i], false);
            explain(t, "rho = %.1f, inputs of %-4g: slope %+.3f; mean field %+.3f; log rho %+.3f",
                    above[r], sizes[i], slope_of(&c), mean_field_slope(above[r], sizes[i]),
                    log(above[r]));
        }
    }
    return least;
}

/* ---- the mean over all directions ------------------------------------------------------------ */

const Claim through_time_claims[] = {
    {2, step_backward,
     "one step of backward through an RNN scales |dL/dh|^2 by rho^2 times a weighted mean of "
     "tanh'^2",
     .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers"},
     .quantity =
         "largest relative error of |g_(t-1)|^2 = rho^2 sum d^2 g^2, 19 steps, 20 sequences",
     AT_MOST(2e-5, "sums of 64 products in float: 64 roundings of 6e-8 in g, squared, and again "
                   "in Q"),
     .faults = {{"not-orthogonal", "a matrix of the same size that changes lengths"},
                {"no-slope", "tanh' is taken for 1"}}},
    {2, line_in_distance, "log |dL/dx_(T-k)| is a line in k, of slope log rho + log rms tanh'",
     .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers"},
     .quantity = "largest distance from that line, k = 0 .. 45, rho = 0.7, 1, 1.3, T = 60",
     AT_MOST(0.6, "a factor of 64 units scatters by 0.05: 45 of them by 0.33, of 20 sequences "
                  "0.08; 5 of these, and 0.2 for the log of a mean"),
     .faults = {{"no-slope", "tanh' is taken for 1"},
                {"mean-log", "the mean of log tanh', which is that of all directions"}}},
    {2, explodes_when_saturated,
     "64 saturated units: gradients explode at rho = 1.3 without inputs, vanish with inputs of "
     "0.3; with these they explode at 1.5, 2 and 3",
     .slides = {"V: RNN vs Transformers: Why RNNs fall short?"},
     .quantity = "least of the slopes at rho = 1.5, 2, 3, of minus that at 1.3, and of that at 1.3 "
                 "where only x_1 is not 0",
     AT_LEAST(0.005, "mean field: +0.031 without inputs, with them -0.031 at 1.3, +0.030 at 1.5; "
                     "64 units are 0.007 lower and scatter by 0.004: 4.5 of these are left"),
     .faults = {{"small-states", "inputs of 1e-8: tanh' stays 1, and rho = 1.3 explodes, too"},
                {"noise", "inputs of 1, which saturate more: rho = 1.5 vanishes"},
                {"inputs", "inputs of 0.3 at every step, where none should be"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_through_time(const Sketch *s)
{
    enum { CURVES = 6 };
    static const struct {
        const char *name;
        double rho, size; /* 0: attention */
    } list[CURVES] = {{"RNN, ρ = 1.3, states near 0", 1.3, 1e-8},
                      {"RNN, ρ = 2", 2, 0.3},
                      {"RNN, ρ = 1.3", 1.3, 0.3},
                      {"RNN, ρ = 1", 1, 0.3},
                      {"RNN, ρ = 0.7", 0.7, 0.3},
                      {"attention", 0, 0}};
    static double distance[STEPS], y[CURVES][STEPS];
    PlotSeries series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        if (list[k].rho > 0)
            memcpy(y[k], course_at(s->seed, list[k].rho, list[k].size, false).left, sizeof y[k]);
        else
            direct_log_gradients(s->seed, STEPS, y[k]);
        for (int i = 0; i < STEPS; i++) {
            distance[i] = i;
            y[k][i] = exp(y[k][i]);
        }
        series[k] = (PlotSeries){list[k].name, distance, y[k], STEPS};
    }
    const PlotCurves curves = {
        .series = series,
        .count = CURVES,
        .title = sketch_title(s, "What of a gradient reaches the input of k steps earlier"),
        .x_name = "distance k, in a sequence of T = 60 tokens",
        .y_name = "|dL/dx(T-k)| / |dL/dh(T)|",
        .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

static bool compute_through_time(const double *value, const char *text)
{
    (void)text;
    double distance[STEPS], y[2][STEPS];
    const uint64_t seed = (uint64_t)value[2];
    const Course c = course_at(seed, value[0], value[1], false);
    memcpy(y[0], c.left, sizeof y[0]);
    direct_log_gradients(seed, STEPS, y[1]);
    for (int i = 0; i < STEPS; i++) {
        distance[i] = i;
        y[0][i] = exp(y[0][i]);
        y[1][i] = exp(y[1][i]);
    }
    computed_axes("distance k", "|dL/dx(T−k)| / |dL/dh(T)|", true);
    computed_line("RNN", STEPS, distance, y[0]);
    computed_line("attention", STEPS, distance, y[1]);
    computed_fact(
        "log |dL/dx| changes by %.4f a step of distance, up to %d steps; log ρ = %.4f, and the "
        "mean of log rms tanh' is %.4f.",
        slope_of(&c), LAST, log(value[0]), c.log_rms);
    return true;
}

const ComputedFigure through_time_computed = {
    .name = "through-time",
    .title = "A gradient through time",
    .about =
        "Backward through 60 steps of h = tanh(ρ Q h + x), Q orthogonal, x normal: choose ρ and "
        "the size of x. Large inputs flatten tanh, and its slope shrinks the gradient.",
    .control = {{"ρ", 0.5, 3, 0.05, 1.3}, {"size of x", 0, 2, 0.05, 0.3}, {"seed", 1, 20, 1, 1}},
    .compute = compute_through_time};

const Figure through_time_figures[] = {
    {2, "through-time", draw_through_time,
     .what =
         "log |dL/dx_(T-k)| against k: lines of an RNN, which fall or rise; attention's is flat",
     .computed = &through_time_computed},
    {0},
};
