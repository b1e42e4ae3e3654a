/* redundancy.c: how many units of a hidden layer can be lost (row 33).
 *
 *   x (16) -> 64 units, ReLU [-> dropout 1/2] -> 8 classes; then k of the 64 units are set to 0
 *                                       J "Regularization: Dropout": a redundant representation
 *
 * A unit that may be missing at any step cannot be the only one that knows something: with dropout what a class needs is
 * spread over many units. Both networks begin with the same weights and see the same inputs. */
#include "lectures/05-block/block.h"

#include <string.h>

enum { IN = 16, UNITS = 64, CLASSES = 8, BATCH = 64, STEPS = 600, TESTS = 256, KNOCKS = 160 };

/* Class k: normal numbers of deviation 1 around a centre, whose 16 numbers are drawn once with deviation 1.5. */
typedef struct {
    Params *params;
    Tape *tape;
    Linear up, down;
    real centre[CLASSES * IN];
    Rng rng;
} Net;

static void draw(Net *n, int count, real *x, int *label)
{
    for (int i = 0; i < count; i++) {
        label[i] = (int)rng_below(&n->rng, CLASSES);
        for (int c = 0; c < IN; c++)
            x[i * IN + c] = n->centre[label[i] * IN + c] + (real)rng_normal(&n->rng);
    }
}

/* Logits (count, 8) with dropout p between the layers, and what `kept` (64 of 0 and 1, or NULL) leaves. */
static Tensor *forward(const Net *n, Tensor *x, double p, const real *kept)
{
    Tensor *h = ag_dropout(ag_relu(nn_linear(&n->up, x)), (real)p);
    if (kept)
        h = ag_mul(h, tape_input(n->tape, kept, shape2(1, UNITS)));
    return nn_linear(&n->down, h);
}

static void net_train(Net *n, uint64_t seed, double p)
{
    Adam adam;
    real x[BATCH * IN];
    int label[BATCH];
    *n = (Net){.params = params_new(seed), .tape = tape_new(seed)};
    n->rng = (Rng){.seed = seed, .stream = 334};
    nn_linear_init(&n->up, n->params, "up", IN, UNITS, true);
    nn_linear_init(&n->down, n->params, "down", UNITS, CLASSES, true);
    adam_init(&adam, n->params, 0.005);
    for (int i = 0; i < CLASSES * IN; i++)
        n->centre[i] = (real)(1.5 * rng_normal(&n->rng));
    n->tape->training = true;
    for (int step = 0; step < STEPS; step++) {
        tape_reset(n->tape);
        draw(n, BATCH, x, label);
        Tensor *logits = forward(n, tape_input(n->tape, x, shape2(BATCH, IN)), p, NULL);
        ag_backward(ag_cross_entropy(logits, tape_ids(n->tape, label, shape1(BATCH))));
        adam_step(&adam, n->params);
    }
    n->tape->training = false;
    n->tape->no_grad = true;
    adam_free(&adam);
}

static double accuracy(Net *n, const real *x, const int *label, const real *kept)
{
    int right = 0;
    tape_reset(n->tape);
    Tensor *logits = forward(n, tape_input(n->tape, x, shape2(TESTS, IN)), 0, kept);
    for (int i = 0; i < TESTS; i++) {
        const real *s = logits->data + i * CLASSES;
        bool best = true;
        for (int k = 0; k < CLASSES; k++)
            best &= k == label[i] || s[label[i]] > s[k];
        right += best;
    }
    return (double)right / TESTS;
}

/* k of 64 units, drawn with this stream, are 0. */
static void knock_out(real kept[UNITS], uint64_t seed, uint64_t stream, int k)
{
    Rng rng = {.seed = seed, .stream = stream};
    for (int i = 0; i < UNITS; i++)
        kept[i] = 1;
    while (k > 0) {
        int unit = (int)rng_below(&rng, UNITS);
        k -= kept[unit] > 0;
        kept[unit] = 0;
    }
}

/* Both networks, and the inputs on which they are compared. */
typedef struct {
    Net plain, dropped;
    real x[TESTS * IN];
    int label[TESTS];
} Pair;

static void pair_begin(Pair *p, uint64_t seed, double dropout)
{
    net_train(&p->plain, seed, 0);
    net_train(&p->dropped, seed, dropout);
    draw(&p->plain, TESTS, p->x, p->label);
}

static void pair_end(Pair *p)
{
    tape_free(p->plain.tape);
    tape_free(p->dropped.tape);
    params_free(p->plain.params);
    params_free(p->dropped.params);
}

/* The accuracies of both networks on the same inputs without the same k units, for each of KNOCKS draws of these. */
static void without_units(Pair *p, uint64_t seed, int k, double plain[KNOCKS],
                          double dropped[KNOCKS])
{
    real kept[UNITS];
    for (int i = 0; i < KNOCKS; i++) {
        knock_out(kept, seed, 3350 + (uint64_t)i, k);
        plain[i] = accuracy(&p->plain, p->x, p->label, kept);
        dropped[i] = accuracy(&p->dropped, p->x, p->label, kept);
    }
}

static double redundancy(Trial *t)
{
    enum { LOST = 48 };
    static Pair p;
    double plain[KNOCKS], dropped[KNOCKS], mean = 0, square = 0, low = 0, high = 0;
    pair_begin(&p, t->seed, broken(t, "no-dropout") ? 0 : 0.5);
    double whole = values_least(accuracy(&p.plain, p.x, p.label, NULL),
                                accuracy(&p.dropped, p.x, p.label, NULL));
    without_units(&p, t->seed, LOST, plain, dropped);
    for (int i = 0; i < KNOCKS; i++) {
        double gain = dropped[i] - plain[i];
        mean += gain / KNOCKS;
        square += gain * gain / KNOCKS;
        low += plain[i] / KNOCKS;
        high += dropped[i] / KNOCKS;
    }
    double error = sqrt((square - mean * mean) / (KNOCKS - 1));
    explain(t, "all %d units: both networks answer at least %.3f rightly", UNITS, whole);
    explain(t, "%d units lost: %.3f without dropout, %.3f with it; gain %.3f +- %.3f", LOST, low,
            high, mean, error);
    pair_end(&p);
    return whole < 0.9 ? (double)NAN : error > 0 ? mean / error : mean == 0 ? 0 : (double)NAN;
}

const Claim claim_redundancy = {
    .row = 33,
    .statement = "a network trained with dropout loses less when units are cut",
    .slides = {"J: Regularization: Dropout", "J: Waaaaait a second..."},
    .quantity = "accuracy without 48 of 64 units, with dropout less without it, in standard errors",
    AT_LEAST(5),
    .why = "160 draws of the 48 units: 5 standard errors of their mean",
    .faults = {{"no-dropout", "both networks are trained without dropout"}},
    .measure = redundancy,
};

/* ---- figure ------------------------------------------------------------------------------------------------------ */

static bool draw_redundancy(const Sketch *s)
{
    enum { POINTS = 9 };
    static Pair p;
    double x[POINTS], y[2][POINTS] = {{0}}, chance[POINTS], plain[KNOCKS], dropped[KNOCKS];
    pair_begin(&p, s->seed, 0.5);
    for (int i = 0; i < POINTS; i++) {
        x[i] = i < POINTS - 1 ? 8 * i : 60;
        chance[i] = 1.0 / CLASSES;
        without_units(&p, s->seed, (int)x[i], plain, dropped);
        for (int k = 0; k < KNOCKS; k++) {
            y[0][i] += dropped[k] / KNOCKS;
            y[1][i] += plain[k] / KNOCKS;
        }
    }
    pair_end(&p);
    const PlotSeries series[] = {{"trained with dropout 1/2", x, y[0], POINTS},
                                 {"trained without dropout", x, y[1], POINTS},
                                 {"chance", x, chance, POINTS}};
    const PlotCurves curves = {
        .series = series,
        .count = 3,
        .title = sketch_title(s, "What remains when units are lost, mean of 160 draws"),
        .x_name = "units of 64 that are set to 0",
        .y_name = "accuracy",
        .y_low = 0,
        .y_high = 1.02};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_redundancy = {
    .row = 33,
    .name = "redundancy",
    .what = "accuracy against the number of units that are lost, with and without dropout",
    .draw = draw_redundancy,
};
