/* retrieval.c: queries look up values by their keys (row 20).
 *
 *   q = x W_q,  k = x W_k,  v = x W_v  rows are tokens: Z, H, J; V and B write W x, columns are tokens
 *   y = sum_j softmax(s q . k)_j v_j   a soft match (V's library); s -> infinity: the one best book */
#include "lectures/04-attention/attention.h"

#include <math.h>

/* ---- the library ----------------------------------------------------------------------------- */

enum { BOOKS = 3, FEATURES = 4 };

/* What each book's summary says of violin, playing, learning, history; and the query, "playing the
 * violin". */
static const real summaries[BOOKS * FEATURES] = {1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
static const real query[FEATURES] = {1, 0.8, 0.2, 0};

/* The weights of the three books under a query that is `scale` times as long. */
static Tensor *look_up(Tape *tape, double scale, bool twins)
{
    Tensor *k = tape_input(tape, summaries, shape2(BOOKS, FEATURES));
    Tensor *q = ag_scale(tape_input(tape, query, shape2(1, FEATURES)), (real)scale);
    if (twins) /* the second book's summary is the first's */
        k = ag_embedding(k, tape_ids(tape, (int[]){0, 0, 2}, shape1(BOOKS)));
    return ag_softmax(ag_matmul(q, ag_transpose(k, 0, 1)));
}

static double soft_match(Trial *t)
{
    Tensor *a = look_up(trial_tape(t), broken(t, "hard") ? 64 : 1, false);
    double expected = 1 / (1 + exp(-0.6) + exp(-1.8)), most = values_largest(a);
    explain(t, "scores 1.8, 1.2 and 0; weights %.3f %.3f %.3f", (double)a->data[0],
            (double)a->data[1], (double)a->data[2]);
    return fabs(most - expected);
}

/* |y - v_best| as the scale of the scores grows. */
static double hard_match(Trial *t)
{
    Tape *tape = trial_tape(t);
    double off = 0;
    for (double scale = 1; scale <= (broken(t, "soft") ? 1 : 64); scale *= 4) {
        Tensor *a = look_up(tape, scale, broken(t, "twins"));
        Tensor *v = tape_input(tape, (real[]){10, 20, 30}, shape2(BOOKS, 1));
        off = fabs((double)tensor_item(ag_matmul(a, v)) - 10);
        explain(t, "scale %2g: weights %.4f %.4f %.4f, |y - v_best| = %.2g", scale,
                (double)a->data[0], (double)a->data[1], (double)a->data[2], off);
    }
    return off;
}

const Claim retrieval_claims[] = {
    {20, soft_match,
     "a soft match takes something of every value, and most of the one whose key fits best",
     .slides = {"V: Self-Attention", "V: Analogy for Query, Key, and Value",
                "B: Key-Query-Value Tuple"},
     .quantity = "|largest weight - 1 / (1 + e^-0.6 + e^-1.8)|: 0.583 of three books",
     AT_MOST(1e-6, "the closed form of softmax at scores 1.8, 1.2 and 0; float rounds at 6e-8"),
     .faults = {{"hard", "scores 64 times as large"}}},
    {20, hard_match, "as the scores grow, the soft match becomes a look-up",
     .slides = {"V: Self-Attention", "V: Analogy for Query, Key, and Value"},
     .quantity = "|y - v of the best key|, values 10, 20, 30, at 64 times the scores",
     AT_MOST(1e-4, "the next score is 0.6 less: 10 exp(-38.4) is far below the rounding of 10 in "
                   "float, 5e-7"),
     .faults = {{"soft", "the scale stays at 1"}, {"twins", "two books have the same summary"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_retrieval(const Sketch *s)
{
    enum { POINTS = 25 };
    static const char *const names[BOOKS] = {"playing the violin", "learning the violin",
                                             "history"};
    double x[POINTS], y[BOOKS][POINTS];
    PlotSeries series[BOOKS];
    Tape *tape = tape_new(s->seed);
    for (int i = 0; i < POINTS; i++) {
        x[i] = 0.1 * pow(1000, i / (POINTS - 1.0));
        Tensor *a = look_up(tape, x[i], false);
        for (int j = 0; j < BOOKS; j++)
            y[j][i] = (double)a->data[j];
    }
    tape_free(tape);
    for (int j = 0; j < BOOKS; j++)
        series[j] = (PlotSeries){names[j], x, y[j], POINTS};
    const PlotCurves curves = {.series = series,
                               .count = BOOKS,
                               .title = sketch_title(s, "From a soft match to a look-up"),
                               .x_name = "scale of the scores",
                               .y_name = "weight of each book",
                               .log_x = true,
                               .y_low = 0,
                               .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure retrieval_figures[] = {
    {20, "retrieval", draw_retrieval,
     .what = "three books under one query: as the scores grow, one takes all the weight"},
    {0},
};
