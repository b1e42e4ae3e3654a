/* depth.c: recurrent layers and Transformer blocks, one on another (row 5).  J "RNN vs Transformer"
 *
 *   plain      x = LSTM_l(x)         with a path  x = x + LSTM_l(x)  block  x = x + f(LN(x)), twice
 *
 * All are to recall a symbol over five tokens (recall.h), which one layer learns in 150 steps. Of 8
 * plain LSTM layers at the rates 0.003, 0.01 and 0.03, after 150, 600 and 2,400 steps, 0.48 to 0.70
 * are right, so that neither is the reason. */
#include "lectures/01-recurrence/recall.h"

enum { LAG = 5, STEPS = 150 };

static Mean accuracy_at(uint64_t seed, RecallKind kind, RecallStart start, int layers, bool path)
{
    return recall_accuracy(seed, (RecallSetting){.kind = kind,
                                                 .start = start,
                                                 .lag = LAG,
                                                 .steps = STEPS,
                                                 .layers = layers,
                                                 .path = path});
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
        Mean one = accuracy_at(t->seed, kinds[k], START_PYTORCH, 1, false);
        eight[k] = accuracy_at(t->seed, kinds[k], START_PYTORCH, RECALL_LAYERS, broken(t, "path"));
        explain_depth(t, recall_names[kinds[k]], one, eight[k]);
    }
    return eight[2].mean >= 0.95 ? eight[2].mean - eight[1].mean : (double)NAN;
}

/* The lesser of the two accuracies. */
static double path_makes_deep(Trial *t)
{
    bool plain = broken(t, "plain");
    Mean one = accuracy_at(t->seed, RECALL_LSTM, START_PYTORCH, 1, false);
    Mean path = accuracy_at(t->seed, RECALL_LSTM, START_PYTORCH, RECALL_LAYERS, !plain);
    Mean open = accuracy_at(t->seed, RECALL_LSTM, plain ? START_PYTORCH : START_PASSING,
                            RECALL_LAYERS, false);
    explain_depth(t, "x + LSTM(x)", one, path);
    explain_depth(t, "LSTM, i = o = 0.98", one, open);
    return values_least(path.mean, open.mean);
}

const Claim depth_claims[] = {
    {5, deep_stacks,
     "8 Transformer blocks learn to recall over 5 tokens, as one does; 8 plain LSTM layers learn "
     "about half of it in 150 steps",
     .slides = {"J: RNN vs Transformer"},
     .quantity = "accuracy of 8 Transformer blocks, 0.95 or more, less that of 8 LSTM layers, "
                 "means of 4 runs",
     AT_LEAST(0.25, "1.00 and 0.5 to 0.6, where a run scatters by 0.1; 4 runs by 0.05, and 3 to 5 "
                    "of these are left"),
     .faults = {{"path", "x + LSTM(x)"}}},
    {5, path_makes_deep,
     "8 LSTM layers learn to recall over 5 tokens with residual paths, x + LSTM(x), or if their "
     "input and output gates begin open",
     .slides = {"J: RNN vs Transformer"},
     .quantity = "lesser accuracy of 8 LSTM layers with paths, and with i = o = 0.98 at first, "
                 "means of 4 runs",
     AT_LEAST(0.8, "0.99 and more are right; one run of open gates in 20 learns half, 0.12 of the "
                   "mean"),
     .faults = {{"plain", "neither a path nor open gates"}},
     .against = {QUALIFIED, "J: RNN vs Transformer",
                 "encoder and decoder: \"RNN: hard to be deep vs Transformer: could be deep\" (for "
                 "plain LSTM layers it is so: another claim of row 5)"}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_depth(const Sketch *s)
{
    enum { CURVES = 2, LISTED = 5, POINTS = 6 };
    static const int layers[POINTS] = {1, 2, 3, 4, 6, 8};
    static const char *const names[CURVES] = {
        "the least of RNN, x + LSTM(x), LSTM with open i and o, Transformer", "LSTM"};
    static const struct {
        int curve;
        RecallKind kind;
        RecallStart start;
        bool path;
    } list[LISTED] = {{0, RECALL_RNN, START_PYTORCH, false},
                      {0, RECALL_LSTM, START_PYTORCH, true},
                      {0, RECALL_LSTM, START_PASSING, false},
                      {0, RECALL_TRANSFORMER, START_PYTORCH, false},
                      {1, RECALL_LSTM, START_PYTORCH, false}};
    double x[POINTS], y[CURVES][POINTS], error[CURVES][POINTS];
    const double *errors[CURVES] = {error[0], error[1]};
    PlotSeries series[CURVES];
    for (int k = 0; k < LISTED; k++)
        for (int i = 0; i < POINTS; i++) {
            int c = list[k].curve;
            Mean a = accuracy_at(s->seed, list[k].kind, list[k].start, layers[i], list[k].path);
            x[i] = layers[i];
            if (k > 0 && c == list[k - 1].curve && a.mean >= y[c][i])
                continue;
            y[c][i] = a.mean;
            error[c][i] = a.error;
        }
    for (int c = 0; c < CURVES; c++)
        series[c] = (PlotSeries){names[c], x, y[c], POINTS};
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

const Figure depth_figures[] = {
    {5, "depth", draw_depth,
     .what =
         "recall after 150 steps by the number of layers: plain LSTM layers fail, and no others"},
    {0},
};
