/* rare.c: what an optimiser makes of a gradient of 0 (row 6).
 *
 * A word that occurs once has one gradient other than 0, a word that never occurs none
 * (embedding.c). Adam moves the former in later steps, too, for its running mean of the gradients
 * is not 0:
 *   m_t = 0.9 m_(t-1) + 0.1 g_t,   v_t = 0.999 v_(t-1) + 0.001 g_t^2,
 *   step = rate (m_t / (1 - 0.9^t)) / sqrt(v_t / (1 - 0.999^t))            (Kingma and Ba 2015) */
#include "lectures/02-tokens/tokens.h"

enum { STEPS_MAX = 1400 };
static const double rate = 0.01;

/* A training, with Adam or without; the rare word occurs in steps at .. at + times - 1. */
typedef struct {
    bool sgd;
    int steps, at, times;
} Training;

/* Trains E (2, 1): word 0 in every step, word 1 as told, each with dL/dx = 1. where[t] is the rare
 * word's embedding after t steps; it begins at 1. */
static void train(Training how, uint64_t seed, double where[STEPS_MAX + 1])
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Sgd sgd = {0};
    Adam adam = {0};
    Embedding e;
    bool ok = nn_embedding_init(&e, p, "E", 2, 1) && sgd_init(&sgd, p, rate, 0, 0) &&
              adam_init(&adam, p, rate);
    e.weight->data[1] = 1;
    where[0] = 1;
    for (int t = 1; t <= how.steps; t++) {
        bool occurs = t >= how.at && t < how.at + how.times;
        tape_reset(tape);
        Tensor *ids = tape_ids(tape, (int[]){0, 1}, shape1(occurs ? 2 : 1));
        ok = ok && ag_backward(ag_sum(nn_embedding(&e, ids)));
        ok = ok && (how.sgd ? sgd_step(&sgd, p) : adam_step(&adam, p));
        where[t] = ok ? (double)e.weight->data[1] : (double)NAN;
    }
    adam_free(&adam);
    sgd_free(&sgd);
    tape_free(tape);
    params_free(p);
}

/* How far Adam's equations move a weight by step n, in learning rates, whose one gradient other
 * than 0 came at step `at`:
 *   m_t = (1 - b1) b1^(t - at),  v_t = (1 - b2) b2^(t - at),
 *   step = m_t / (1 - b1^t) / sqrt(v_t / (1 - b2^t)). */
static double adam_distance(int at, int n)
{
    const double b1 = 0.9, b2 = 0.999;
    double sum = 0;
    for (int t = at; t <= n; t++)
        sum += (1 - b1) * pow(b1, t - at) / (1 - pow(b1, t)) /
               sqrt((1 - b2) * pow(b2, t - at) / (1 - pow(b2, t)));
    return sum;
}

/* Seen in step 1 only: the distance after 400 steps. */
double rare_distance(Trial *t)
{
    static double where[STEPS_MAX + 1];
    train((Training){.steps = 400, .at = 1, .times = 1}, t->seed, where);
    return (1 - where[400]) / rate;
}

static double seen_once(Trial *t)
{
    static double where[STEPS_MAX + 1];
    static const int when[] = {1, 10, 100, 1000};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        int end = when[i] + 400;
        Training how = {.sgd = broken(t, "sgd"),
                        .steps = end,
                        .at = when[i],
                        .times = broken(t, "twice") ? 2 : 1};
        train(how, t->seed, where);
        double moved = (1 - where[end]) / rate, at_once = (1 - where[when[i]]) / rate;
        double theory = adam_distance(when[i], end);
        explain(t, "seen once, in step %4d: moves %.2f rates then and %5.2f in all; theory %5.2f",
                when[i], at_once, moved, theory);
        worst = values_worst(worst, fabs(moved / theory - 1));
    }
    return worst;
}

const Claim rare_claims[] = {
    {6, seen_once,
     "Adam goes on moving the vector of a word that was seen once: by 6 learning rates in all "
     "after "
     "step 1, by 25 after step 1,000",
     .slides = {"V: Word to Word Embedding"},
     .quantity = "max |distance / sum of Adam's steps - 1|, seen in step 1, 10, 100, 1000",
     AT_MOST(1e-3, "400 roundings of a number near 1, 6e-8 each, of a way of 0.06: 4e-4 at worst"),
     .faults = {{"sgd", "SGD without momentum: the word moves once, by the rate"},
                {"twice", "the word occurs a second time"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* How far a word moves in the steps after the one in which it occurs; a point every 5 steps:
 * theory. */
static bool draw_rare(const Sketch *s)
{
    enum { AFTER = 60, KINDS = 4, POINTS = AFTER / 5 + 1 };
    static const struct {
        const char *name;
        bool sgd;
        int at;
    } kinds[KINDS] = {{"Adam, seen in step 1000 only", false, 1000},
                      {"Adam, in step 100 only", false, 100},
                      {"Adam, in step 1 only", false, 1},
                      {"SGD", true, 1}};
    static double where[STEPS_MAX + 1], moved[KINDS][AFTER + 1], at[POINTS], theory[POINTS];
    PlotSeries series[KINDS + 1];
    for (int k = 0; k < KINDS; k++) {
        int before = kinds[k].at - 1;
        train((Training){kinds[k].sgd, before + AFTER, kinds[k].at, 1}, s->seed, where);
        for (int i = 0; i <= AFTER; i++)
            moved[k][i] = (where[before] - where[before + i]) / rate;
        series[k] = (PlotSeries){kinds[k].name, NULL, moved[k], AFTER + 1};
    }
    for (int i = 0; i < POINTS; i++) {
        at[i] = 5 * i;
        theory[i] = adam_distance(1000, 999 + 5 * i);
    }
    series[KINDS] = (PlotSeries){"theory: the sum of Adam's steps", at, theory, POINTS};
    const PlotCurves curves = {.series = series,
                               .count = KINDS + 1,
                               .title = sketch_title(s, "How far a rare word's embedding moves"),
                               .x_name = "steps, that in which it occurs included",
                               .y_name = "distance in learning rates",
                               .y_low = 0,
                               .y_high = 26};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure rare_figures[] = {
    {6, "rare", draw_rare,
     .what = "a word seen once moves on under Adam, the farther the later it was seen"},
    {0},
};
