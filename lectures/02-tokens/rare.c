/* rare.c: what an optimiser makes of a gradient of 0 (row 6).
 *
 * A word that occurs once has one gradient other than 0, a word that never occurs none
 * (embedding.c). Adam moves the former in later steps, too, for its running mean of the gradients
 * is not 0:
 *   m_t = 0.9 m_(t-1) + 0.1 g_t,   v_t = 0.999 v_(t-1) + 0.001 g_t^2,
 *   step = rate (m_t / (1 - 0.9^t)) / sqrt(v_t / (1 - 0.999^t))            (Kingma and Ba 2015)
 * and decay moves the latter. */
#include "lectures/02-tokens/tokens.h"

enum { SGD, MOMENTUM, ADAM, ADAMW };
enum { STEPS_MAX = 1400 };
static const double rate = 0.01;

/* A training: which optimiser, with how much decay; the rare word occurs in steps at .. at + times
 * - 1 (0: never). */
typedef struct {
    int optimiser;
    double decay;
    int steps, at, times;
} Training;

/* What a step is made with; only one of the two optimisers is in use. */
typedef struct {
    Sgd sgd;
    Adam adam;
    bool is_sgd;
} Stepper;

static bool stepper_init(Stepper *s, const Params *p, Training how)
{
    *s = (Stepper){.is_sgd = how.optimiser <= MOMENTUM};
    if (s->is_sgd)
        return sgd_init(&s->sgd, p, rate, how.optimiser == MOMENTUM ? 0.9 : 0, how.decay);
    bool ok = adam_init(&s->adam, p, rate);
    s->adam.decay = how.decay;
    s->adam.decoupled = how.optimiser == ADAMW;
    return ok;
}

/* Trains E (2, 1): word 0 in every step, word 1 as told, each with dL/dx = 1. where[t] is the rare
 * word's embedding after t steps; it begins at 1. */
static void train(Training how, uint64_t seed, double where[STEPS_MAX + 1])
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Stepper s;
    Embedding e;
    bool ok = nn_embedding_init(&e, p, "E", 2, 1) && stepper_init(&s, p, how);
    e.weight->data[1] = 1;
    where[0] = 1;
    for (int t = 1; t <= how.steps; t++) {
        bool occurs = t >= how.at && t < how.at + how.times;
        tape_reset(tape);
        Tensor *ids = tape_ids(tape, (int[]){0, 1}, shape1(occurs ? 2 : 1));
        ok = ok && ag_backward(ag_sum(nn_embedding(&e, ids)));
        ok = ok && (s.is_sgd ? sgd_step(&s.sgd, p) : adam_step(&s.adam, p));
        where[t] = ok ? (double)e.weight->data[1] : (double)NAN;
    }
    adam_free(&s.adam);
    sgd_free(&s.sgd);
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
    train((Training){.optimiser = ADAM, .steps = 400, .at = 1, .times = 1}, t->seed, where);
    return (1 - where[400]) / rate;
}

static double seen_once(Trial *t)
{
    static double where[STEPS_MAX + 1];
    static const int when[] = {1, 10, 100, 1000};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        int end = when[i] + 400;
        Training how = {.optimiser = broken(t, "sgd") ? SGD : ADAM,
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

/* A word that never occurs has a gradient of 0: without decay it stays, under AdamW it is w (1 -
 * rate decay)^t. */
static double never_seen(Trial *t)
{
    enum { N = 200 };
    static double plain[STEPS_MAX + 1], decayed[STEPS_MAX + 1];
    const double decay = 0.5;
    double theory = pow(1 - rate * decay, N);
    train((Training){.optimiser = ADAM, .steps = N}, t->seed, plain);
    train((Training){.optimiser = ADAMW, .decay = broken(t, "no-decay") ? 0 : decay, .steps = N},
          t->seed, decayed);
    explain(t, "%d steps without decay: from 1 to %.5f", N, plain[N]);
    explain(t, "with decay %g: to %.5f; (1 - rate decay)^%d = %.5f", decay, decayed[N], N, theory);
    return plain[N] == 1 ? fabs(decayed[N] - theory) : (double)NAN;
}

/* Decay in the gradient (L2) is not the decay of AdamW: Adam divides it by its own size, so that
 * decay 0.1 and decay 0.0001 move an unused word alike, by the rate in each step. */
static double decay_in_gradient(Trial *t)
{
    enum { N = 10 };
    static const double decays[] = {1e-1, 1e-2, 1e-4};
    static double where[STEPS_MAX + 1];
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        Training how = {.optimiser = broken(t, "decoupled") ? ADAMW : ADAM,
                        .decay = decays[i],
                        .steps = N};
        train(how, t->seed, where);
        double moved = (1 - where[N]) / rate;
        explain(t, "decay %-6g %2d steps: the unused word moves %.3f rates", decays[i], N, moved);
        worst = values_worst(worst, fabs(moved / N - 1));
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
    {6, never_seen, "a word that never occurs stays as drawn; AdamW's decay shrinks it towards 0",
     .slides = {"V: Word to Word Embedding"},
     .quantity = "|w - (1 - rate decay)^200|, from w = 1; no number if it moves without decay",
     AT_MOST(2e-5, "200 roundings of a number below 1, at most 6e-8 each: 1.2e-5"),
     .faults = {{"no-decay", "the word stays where it was drawn"}}},
    {6, decay_in_gradient, "L2 decay with Adam moves unused words by the rate, whatever the decay",
     .slides = {"V: Word to Word Embedding"},
     .quantity = "max |distance / (10 rates) - 1|, decay 0.1, 0.01 and 0.0001",
     AT_MOST(0.112, "m / sqrt(v) lies between the ratios of least to largest gradient: 0.9 and 1 "
                    "/ 0.9"),
     .faults = {{"decoupled", "AdamW: the decay is not divided by its size"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* How far a word moves in the steps after the one in which it occurs; a point every 5 steps:
 * theory. */
static bool draw_rare(const Sketch *s)
{
    enum { AFTER = 60, KINDS = 6, POINTS = AFTER / 5 + 1 };
    static const struct {
        const char *name;
        int optimiser, at, times;
        double decay;
    } kinds[KINDS] = {
        {"Adam, seen in step 1000 only", ADAM, 1000, 1, 0},
        {"Adam, in step 100 only", ADAM, 100, 1, 0},
        {"Adam, in step 1 only", ADAM, 1, 1, 0},
        {"SGD, momentum 0.9", MOMENTUM, 1, 1, 0},
        {"SGD", SGD, 1, 1, 0},
        {"AdamW, decay 0.02, never seen", ADAMW, 1, 0, 0.02},
    };
    static double where[STEPS_MAX + 1], moved[KINDS][AFTER + 1], at[POINTS], theory[POINTS];
    PlotSeries series[KINDS + 1];
    for (int k = 0; k < KINDS; k++) {
        int before = kinds[k].at - 1;
        train((Training){kinds[k].optimiser, kinds[k].decay, before + AFTER, kinds[k].at,
                         kinds[k].times},
              s->seed, where);
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
