/* lags.c: which lags are learned, and in how many steps (rows 2 and 3). The task: recall.h. */
#include "lectures/01-recurrence/recall.h"

/* ---- row 2: steps to learn a copy over lag k ------------------------------------------------------------------------- */

enum { LAGS = 5, RUNS = 4, AT_MOST_STEPS = 600 };
static const int lags[LAGS] = {5, 10, 20, 40, 80};

/* The mean of log steps over a few runs; infinite where a run never learns. */
static double log_steps(uint64_t seed, RecallKind kind, int lag)
{
    RecallSetting s = {.kind = kind, .lag = lag, .steps = AT_MOST_STEPS, .until_learned = true};
    double mean = 0;
    for (int run = 0; run < RUNS; run++) {
        Recalled r = recall_train(seed * 100 + (uint64_t)run, s);
        if (isnan(r.accuracy))
            return (double)NAN;
        mean += r.learned ? log(r.learned) / RUNS : INFINITY;
    }
    return mean;
}

static double steps_exponent(Trial *t)
{
    double x[LAGS], y[LAGS];
    RecallKind kind = broken(t, "rnn") ? RECALL_RNN : RECALL_ATTENTION;
    for (int i = 0; i < LAGS; i++) {
        x[i] = lags[i];
        y[i] = exp(log_steps(t->seed, kind, lags[i]));
        explain(t, "lag %2d: %s learns it in %.0f steps (the mean of %d runs; inf: one does not)",
                lags[i], recall_names[kind], y[i], RUNS);
    }
    return values_exponent(x, y, LAGS);
}

const Claim claim_copy_steps = {
    .row = 2,
    .statement = "the steps in which attention learns a copy grow more slowly than the lag",
    .slides = {"Z: Positional encoding", "V: RNNs vs. Transformers", "V: Self-Attention"},
    .quantity = "exponent of the steps until 95 % are right in the lag, 5 to 80",
    AT_MOST(0.75),
    .why = "1 would be in proportion; log steps scatter by 0.3, the exponent of 20 runs by 0.07",
    .faults = {{"rnn", "an RNN in place of attention"}},
    .against = {QUALIFIED, "Z: Positional encoding",
                "long-range dependencies are learned just as effectively as short-range ones"},
    .measure = steps_exponent,
};

/* ---- row 3: lags that are learned, and that are not ------------------------------------------------------------------- */

enum { LAG = 30, FAR = 60, STEPS = 400, RNNS = 6 };

/* Trained once for all claims that need it. */
static Recalled trained(uint64_t seed, RecallKind kind, RecallStart start, int lag)
{
    static struct {
        uint64_t seed;
        int lag;
        Recalled result;
    } known[RECALL_KINDS][START_IDENTITY + 1];
    if (known[kind][start].lag != lag || known[kind][start].seed != seed) {
        known[kind][start].result =
            recall_train(seed,
                         (RecallSetting){.kind = kind, .start = start, .lag = lag, .steps = STEPS});
        known[kind][start].seed = seed;
        known[kind][start].lag = lag;
    }
    return known[kind][start].result;
}

/* The mean accuracy of RNNS runs. */
static double rnn_accuracy(uint64_t seed, int lag)
{
    RecallSetting s = {.kind = RECALL_RNN, .lag = lag, .steps = STEPS};
    double mean = 0;
    for (int run = 0; run < RNNS; run++)
        mean += recall_train(seed * 100 + (uint64_t)run, s).accuracy / RNNS;
    return mean;
}

/* No number where they do not learn lag 5 either: then the lag is not the reason. */
static double rnn_forgets(Trial *t)
{
    double near = rnn_accuracy(t->seed, 5), far = rnn_accuracy(t->seed, FAR);
    if (t->notes) /* lag 30 is trained only to be read */
        explain(t, "%d RNNs after %d steps: %.3f right at lag 5, %.3f at lag %d, %.3f at lag %d",
                RNNS, STEPS, near, rnn_accuracy(t->seed, LAG), LAG, far, FAR);
    explain(t, "who guesses: %.3f", 1.0 / RECALL_SYMBOLS);
    return !(near >= 0.8) ? (double)NAN : broken(t, "short-lag") ? near : far;
}

const Claim claim_rnn_forgets = {
    .row = 3,
    .statement = "RNNs that learn to recall over lag 5 do not over lag 60, in the same steps",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers"},
    .quantity = "mean accuracy of 6 RNNs at lag 60 after 400 steps (at lag 5: 0.8 or more)",
    AT_MOST(0.7),
    .why =
        "1/4 is guessed; one run in 50 or fewer learns it: four of six would, once in 10^5 times",
    .faults = {{"short-lag", "lag 5 instead of 60"}},
    .measure = rnn_forgets,
};

/* No number where the first weights keep a thousandth of the gradient: then saturation is not the reason. */
static double identity_at_chance(Trial *t)
{
    double chance = 1.0 / RECALL_SYMBOLS, error = sqrt(chance * (1 - chance) / RECALL_TESTS);
    int lag = broken(t, "short-lag") ? 5 : FAR;
    double kept = gates_log_gradient(t->seed, RNN_TANH, START_IDENTITY, FAR) / log(10);
    Recalled r = trained(t->seed, RECALL_RNN, START_IDENTITY, lag);
    explain(t, "RNN with W_hh = I at first, lag %d: %.3f right", lag, r.accuracy);
    explain(t, "at first |dL/dx_1| is 10^%.1f of |dL/dh_%d|: W_hh keeps it, tanh' does not", kept,
            FAR);
    return kept < -3 ? fabs(r.accuracy - chance) / error : (double)NAN;
}

const Claim claim_identity_start = {
    .row = 3,
    .statement =
        "an RNN that begins with W_hh = I does not learn to recall over lag 60: h saturates tanh",
    .slides = {"V: RNN vs Transformers: Why RNNs fall short?"},
    .quantity = "|accuracy - 1/4| at lag 60 in standard errors; NaN if |dL/dx_1| > |dL/dh_60| / "
                "1000 at first",
    AT_MOST(4.5),
    .why = "who guesses is right in 1/4 +- 0.022; 4.5 standard errors by chance once in 150,000",
    .faults = {{"short-lag", "lag 5 instead of 60"}},
    .measure = identity_at_chance,
};

static double others_recall(Trial *t)
{
    double least = INFINITY;
    for (RecallKind kind = RECALL_LSTM; kind <= RECALL_ATTENTION; kind++) {
        RecallKind run = broken(t, "rnn") ? RECALL_RNN : kind;
        RecallStart start = broken(t, "shut") ? START_SHUT : START_OPEN;
        Recalled r = trained(t->seed, run, start, LAG);
        explain(t, "%-9s lag %d: %.3f right after %d steps; 95 %% of the batches after %d",
                recall_names[run], LAG, r.accuracy, STEPS, r.learned);
        least = values_least(least, r.accuracy);
    }
    return least;
}

const Claim claim_gates_remember = {
    .row = 3,
    .statement = "at lag 30 LSTM and GRU, their gates open at first, and attention recall",
    .slides = {"V: RNNs vs. Transformers", "V: RNN vs Transformers: Why RNNs fall short?"},
    .quantity = "least accuracy of the three after 400 steps, 400 fresh sequences",
    AT_LEAST(0.97),
    .why = "0.99 and more are right; 0.97 is 4 standard errors of 0.005 below that",
    .faults = {{"rnn", "an RNN with the same steps"},
               {"shut", "LSTM and GRU begin with gates of 0.12"}},
    .against = {QUALIFIED, "V: RNNs vs. Transformers",
                "with a recurrent structure long-range dependencies are challenging to learn"},
    .measure = others_recall,
};

static double gates_at_first(Trial *t)
{
    Recalled half =
        trained(t->seed, RECALL_LSTM, broken(t, "open") ? START_OPEN : START_PYTORCH, LAG);
    Recalled open = trained(t->seed, RECALL_LSTM, START_OPEN, LAG);
    explain(t,
            "LSTM, lag %d, after %d steps: %.3f right with f = 1/2 at first, %.3f with f = %d/%d",
            LAG, STEPS, half.accuracy, open.accuracy, LAG, LAG + 1);
    return open.accuracy - half.accuracy;
}

const Claim claim_first_gates = {
    .row = 3,
    .statement = "an LSTM whose forget gates begin at 1/2 does not learn to recall over lag 30",
    .slides = {"V: RNNs vs. Transformers"},
    .quantity = "accuracy at lag 30 with f = 30/31 at first less that with f = 1/2",
    AT_LEAST(0.3),
    .why =
        "1 less the 1/4 that guessing gets is 0.75; with half of the symbols learned 0.37 is left",
    .faults = {{"open", "both begin with f = 30/31"}},
    .against = {QUALIFIED, "V: RNNs vs. Transformers",
                "LSTM and GRU help with long-range dependencies"},
    .measure = gates_at_first,
};

/* ---- figure ----------------------------------------------------------------------------------------------------------------- */

static bool draw_lags(const Sketch *s)
{
    enum { CURVES = 5, POINTS = 4 };
    static const struct {
        const char *name;
        RecallKind kind;
        RecallStart start;
    } list[CURVES] = {{"RNN", RECALL_RNN, START_PYTORCH},
                      {"LSTM, f = 1/2 at first", RECALL_LSTM, START_PYTORCH},
                      {"LSTM, f = k/(k+1)", RECALL_LSTM, START_OPEN},
                      {"GRU, z = k/(k+1)", RECALL_GRU, START_OPEN},
                      {"attention", RECALL_ATTENTION, START_PYTORCH}};
    double x[POINTS], y[CURVES][POINTS], error[CURVES][POINTS];
    const double *errors[CURVES + 1] = {NULL};
    PlotSeries series[CURVES + 1];
    for (int k = 0; k < CURVES; k++) {
        for (int i = 0; i < POINTS; i++) {
            RecallSetting setting = {.kind = list[k].kind,
                                     .start = list[k].start,
                                     .lag = lags[i],
                                     .steps = STEPS};
            Mean a = recall_accuracy(s->seed, setting);
            x[i] = lags[i];
            y[k][i] = a.mean;
            error[k][i] = a.error;
        }
        series[k] = (PlotSeries){list[k].name, x, y[k], POINTS};
        errors[k] = error[k];
    }
    static double chance[POINTS];
    for (int i = 0; i < POINTS; i++)
        chance[i] = 1.0 / RECALL_SYMBOLS;
    series[CURVES] = (PlotSeries){"guessed", x, chance, POINTS};
    const PlotCurves curves = {
        .series = series,
        .errors = errors,
        .count = CURVES + 1,
        .title = sketch_title(s, "A symbol is to be recalled k tokens later: after 400 steps"),
        .x_name = "lag k",
        .y_name = "share of right answers",
        .y_low = 0,
        .y_high = 1.05};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_lags = {
    .row = 3,
    .name = "lags",
    .what = "which lags an RNN, LSTMs, a GRU and attention learn in 400 steps",
    .draw = draw_lags,
};
