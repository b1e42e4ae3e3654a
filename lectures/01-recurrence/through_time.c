/* through_time.c: the gradient of an RNN through time, and that of attention (row 2). The
 * derivation: through_time.h. */
#include "lectures/01-recurrence/recall.h"
#include "lectures/01-recurrence/through_time.h"

#include <string.h>

enum { RHOS = 3 };
static const double rhos[RHOS] = {0.7, 1, 1.3};

/* ---- an RNN whose recurrent matrix is rho times an orthogonal one ---------------------------- */

void orthogonal_fill(Tensor *w, double rho, Rng *rng)
{
    int n = (int)w->shape.dim[0];
    double row[UNITS][UNITS];
    for (int i = 0; i < n; i++) {
        double length = 0;
        for (int k = 0; k < n; k++)
            row[i][k] = rng_normal(rng);
        for (int j = 0; j < i; j++) {
            double along = 0;
            for (int k = 0; k < n; k++)
                along += row[i][k] * row[j][k];
            for (int k = 0; k < n; k++)
                row[i][k] -= along * row[j][k];
        }
        for (int k = 0; k < n; k++)
            length += row[i][k] * row[i][k];
        for (int k = 0; k < n; k++) {
            row[i][k] /= sqrt(length);
            w->data[i * n + k] = (real)(rho * row[i][k]);
        }
    }
}

static void fill(Tensor *w, double value)
{
    for (int64_t i = 0; i < tensor_size(w); i++)
        w->data[i] = (real)value;
}

/* A cell with W_hh = rho Q, W_ih = I and no biases. */
static bool orthogonal_cell(RNNCell *cell, Params *params, RunSetting s, Rng *rng)
{
    if (!nn_rnn_cell_init(cell, params, "rnn", RNN_TANH, UNITS, UNITS))
        return false;
    orthogonal_fill(cell->weight_hh, s.rho, rng);
    fill(cell->weight_ih, 0);
    for (int i = 0; i < UNITS; i++)
        cell->weight_ih->data[i * (UNITS + 1)] = 1;
    fill(cell->bias_ih, 0);
    fill(cell->bias_hh, 0);
    return true;
}

bool run_through_time(Tape *tape, Params *params, RunSetting s, uint64_t seed, Run *run)
{
    Rng rng = {.seed = seed, .stream = 101};
    RNNCell cell;
    RNNState state = {0};
    static real upstream[SEQUENCES * UNITS];
    *run = (Run){.T = s.T};
    if (!orthogonal_cell(&cell, params, s, &rng))
        return false;
    for (int t = 1; t <= s.T; t++) {
        run->x[t] =
            values_leaf(tape, &rng, shape2(SEQUENCES, UNITS), s.first_alone && t > 1 ? 0 : s.size);
        run->h[t] = ag_keep(nn_rnn_cell(&cell, run->x[t], &state));
    }
    for (int i = 0; i < SEQUENCES * UNITS; i++)
        upstream[i] = (real)rng_normal(&rng);
    return ag_backward_from(run->h[s.T], upstream);
}

/* sum_i x_i^2 of row b. */
static double square(const real *x, int b)
{
    double sum = 0;
    for (int i = b * UNITS; i < (b + 1) * UNITS; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
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
        double upstream = square(run->h[run->T]->grad, b);
        for (int k = 0; k < run->T; k++)
            c.left[k] += log(square(run->x[run->T - k]->grad, b) / upstream) / 2 / SEQUENCES;
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

const Claim through_time_claims[] = {
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
            direct_log_gradients(s->seed, STEPS, RECALL_ATTENTION, START_PYTORCH, y[k]);
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
    direct_log_gradients(seed, STEPS, RECALL_ATTENTION, START_PYTORCH, y[1]);
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
