/* depth.c: recurrent layers and Transformer blocks, one on another (row 5).                     J "RNN vs Transformer"
 *
 *   plain      x = LSTM_l(x)              with a path   x = x + LSTM_l(x)        block   x = x + f(LN(x)), twice
 *
 * All are to recall a symbol over five tokens (recall.h), which one layer learns in 150 steps. Of 8 plain LSTM layers at the
 * rates 0.003, 0.01 and 0.03, after 150, 600 and 2,400 steps, 0.48 to 0.70 are right, so that neither is the reason. */
#include "lectures/01-recurrence/recall.h"

enum { LAG = 5, STEPS = 150 };

static Mean accuracy_at(uint64_t seed, RecallKind kind, int layers, bool path)
{
    return recall_accuracy(
        seed,
        (RecallSetting){.kind = kind, .lag = LAG, .steps = STEPS, .layers = layers, .path = path});
}

static void explain_depth(Trial *t, const char *name, Mean one, Mean eight)
{
    explain(t, "%-14s 1 layer %.3f +- %.3f right, %d layers %.3f +- %.3f", name, one.mean,
            one.error, RECALL_LAYERS, eight.mean, eight.error);
}

/* No number where 8 Transformer blocks do not learn what one block learns. */
static double deep_stacks(Trial *t)
{
    static const RecallKind kinds[] = {RECALL_RNN, RECALL_LSTM, RECALL_TRANSFORMER};
    Mean eight[3];
    for (int k = 0; k < 3; k++) {
        Mean one = accuracy_at(t->seed, kinds[k], 1, false);
        eight[k] = accuracy_at(t->seed, kinds[k], RECALL_LAYERS, broken(t, "path"));
        explain_depth(t, recall_names[kinds[k]], one, eight[k]);
    }
    return eight[2].mean >= 0.95 ? eight[2].mean - eight[1].mean : (double)NAN;
}

const Claim claim_deep_stacks = {
    .row = 5,
    .statement =
        "8 Transformer blocks learn to recall over 5 tokens, as one does; 8 plain LSTM layers "
        "learn about half of it in 150 steps",
    .slides = {"J: RNN vs Transformer"},
    .quantity = "accuracy of 8 Transformer blocks, 0.95 or more, less that of 8 LSTM layers, means "
                "of 4 runs",
    AT_LEAST(0.25),
    .why = "1.00 and 0.51, where a run scatters by 0.05; 3 runs by 0.03, and 8 of these are left",
    .faults = {{"path", "x + LSTM(x)"}},
    .measure = deep_stacks,
};

static double path_makes_deep(Trial *t)
{
    Mean one = accuracy_at(t->seed, RECALL_LSTM, 1, false);
    Mean eight = accuracy_at(t->seed, RECALL_LSTM, RECALL_LAYERS, !broken(t, "plain"));
    explain_depth(t, "x + LSTM(x)", one, eight);
    return eight.mean;
}

const Claim claim_deep_path = {
    .row = 5,
    .statement =
        "8 LSTM layers with residual paths, x + LSTM(x), learn what 8 Transformer blocks learn "
        "over 5 tokens",
    .slides = {"J: RNN vs Transformer"},
    .quantity = "accuracy of 8 LSTM layers with a residual path, mean of 4 runs",
    AT_LEAST(0.95),
    .why = "0.99 and more are right; an error of 0.005 over 400 sequences",
    .faults = {{"plain", "no path"}},
    .against = {QUALIFIED, "J: RNN vs Transformer",
                "an RNN is hard to be deep, a Transformer could be deep"},
    .measure = path_makes_deep,
};

/* ---- figure ----------------------------------------------------------------------------------------------------------------- */

static bool draw_depth(const Sketch *s)
{
    enum { CURVES = 4, POINTS = 4 };
    static const struct {
        const char *name;
        RecallKind kind;
        bool path;
    } list[CURVES] = {{"RNN", RECALL_RNN, false},
                      {"LSTM", RECALL_LSTM, false},
                      {"x + LSTM(x)", RECALL_LSTM, true},
                      {"Transformer", RECALL_TRANSFORMER, false}};
    double x[POINTS], y[CURVES][POINTS], error[CURVES][POINTS];
    const double *errors[CURVES];
    PlotSeries series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        for (int i = 0; i < POINTS; i++) {
            x[i] = 1 << i;
            Mean a = accuracy_at(s->seed, list[k].kind, 1 << i, list[k].path);
            y[k][i] = a.mean;
            error[k][i] = a.error;
        }
        series[k] = (PlotSeries){list[k].name, x, y[k], POINTS};
        errors[k] = error[k];
    }
    const PlotCurves curves = {
        .series = series,
        .errors = errors,
        .count = CURVES,
        .title = sketch_title(s, "A symbol is to be recalled 5 tokens later: after 150 steps"),
        .x_name = "layers",
        .y_name = "share of right answers",
        .y_low = 0,
        .y_high = 1.05};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_depth = {
    .row = 5,
    .name = "depth",
    .what =
        "recall after 150 steps by the number of layers: plain LSTMs fail, with a path they do not",
    .draw = draw_depth,
};
