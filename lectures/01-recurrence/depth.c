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
    {0},
};
