/* redundancy.c: how many units of a hidden layer can be lost (row 33).
 *
 *   x (16) -> 64 units, ReLU [-> dropout 1/2] -> 8 classes; then k of the 64 units are set to 0
 *                                       J "Regularization: Dropout": a redundant representation
 *
 * A unit that may be missing at any step cannot be the only one that knows something: with dropout
 * what a class needs is spread over many units. Both networks begin with the same weights and see
 * the same inputs. */
#include "lectures/05-block/block.h"

#include <string.h>

enum {
    IN = 16,
    UNITS = 64,
    CLASSES = 8,
    BATCH = 64,
    STEPS = 600,
    TESTS = 256,
    KNOCKS = 40,
    PAIRS = 5
};

/* Class k: normal numbers of deviation 1 around a centre, whose 16 numbers are drawn once with
 * deviation 1.5. */
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

/* Logits (count, 8) with dropout p between the layers, and what `kept` (64 of 0 and 1, or NULL)
 * leaves. */
static Tensor *forward(const Net *n, Tensor *x, double p, const real *kept)
{
    Tensor *h = ag_dropout(ag_relu(nn_linear(&n->up, x)), (real)p);
    if (kept)
        h = ag_mul(h, tape_input(n->tape, kept, shape2(1, UNITS)));
    return nn_linear(&n->down, h);
}

/* The data are drawn with the seed, the first weights with another. */
static void net_train(Net *n, uint64_t seed, uint64_t weights, double p, double decay)
{
    Adam adam;
    real x[BATCH * IN];
    int label[BATCH];
    *n = (Net){.params = params_new(weights), .tape = tape_new(seed)};
    n->rng = (Rng){.seed = seed, .stream = 334};
    nn_linear_init(&n->up, n->params, "up", IN, UNITS, true);
    nn_linear_init(&n->down, n->params, "down", UNITS, CLASSES, true);
    adamw_init(&adam, n->params, 0.005, decay);
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
    for (int i = 0; i < TESTS; i++)
        right += nn_greedy(logits->data + i * CLASSES, CLASSES) == label[i];
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

/* Without dropout and weight decay the second network has other first weights: what two trainings
 * differ by chance. */
static void pair_begin(Pair *p, uint64_t seed, double dropout, double decay)
{
    net_train(&p->plain, seed, seed, 0, 0);
    net_train(&p->dropped, seed, dropout > 0 || decay > 0 ? seed : seed + 500, dropout, decay);
    draw(&p->plain, TESTS, p->x, p->label);
}

static void pair_end(Pair *p)
{
    tape_free(p->plain.tape);
    tape_free(p->dropped.tape);
    params_free(p->plain.params);
    params_free(p->dropped.params);
}

/* The accuracies of both networks on the same inputs without the same k units, for each of KNOCKS
 * draws of these. */
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

/* What dropout gains without 48 of the units, the least of PAIRS pairs of trainings. NaN where a
 * whole network does not know the classes. */
static double redundancy(Trial *t)
{
    enum { LOST = 48 };
    static Pair p;
    double plain[KNOCKS], dropped[KNOCKS], least = INFINITY;
    double decay = broken(t, "weight-decay") ? 0.3 : 0;
    double dropout = broken(t, "no-dropout") || decay > 0 ? 0 : 0.5;
    for (int k = 0; k < PAIRS; k++) {
        pair_begin(&p, t->seed * 1000 + (uint64_t)k, dropout, decay);
        double whole = values_least(accuracy(&p.plain, p.x, p.label, NULL),
                                    accuracy(&p.dropped, p.x, p.label, NULL));
        without_units(&p, t->seed, LOST, plain, dropped);
        double low = values_mean(plain, KNOCKS).mean, high = values_mean(dropped, KNOCKS).mean;
        least = values_least(least, whole >= 0.9 ? high - low : (double)NAN);
        explain(t, "pair %d, %d of %d units lost: %.3f without dropout, %.3f with %.2f; whole %.3f",
                k + 1, LOST, UNITS, low, high, dropout, whole);
        pair_end(&p);
    }
    return least;
}

const Claim redundancy_claims[] = {
    {33, redundancy,
     "trained with dropout 1/2 a network loses less when 48 of its 64 units are cut",
     .slides = {"J: Regularization: Dropout", "J: Waaaaait a second..."},
     .quantity =
         "accuracy gained by dropout without 48 of 64 units, the least of 5 pairs of trainings",
     AT_LEAST(0.025, "two trainings without dropout, from other first weights, differ with a "
                     "deviation of 0.02: all of 5 pairs above 0.025 once in 100,000"),
     .faults = {{"no-dropout", "neither has dropout, and their first weights differ"},
                {"weight-decay", "weight decay of 0.3 in place of dropout"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_redundancy(const Sketch *s)
{
    enum { POINTS = 8 };
    static const int lost[POINTS] = {32, 36, 40, 44, 48, 52, 56, 60};
    static Pair p;
    double x[POINTS], y[2][POINTS] = {{0}}, each[POINTS][2][PAIRS], error[2][POINTS];
    double plain[KNOCKS], dropped[KNOCKS];
    for (int k = 0; k < PAIRS; k++) {
        pair_begin(&p, s->seed * 1000 + (uint64_t)k, 0.5, 0);
        for (int i = 0; i < POINTS; i++) {
            without_units(&p, s->seed, lost[i], plain, dropped);
            each[i][0][k] = values_mean(dropped, KNOCKS).mean;
            each[i][1][k] = values_mean(plain, KNOCKS).mean;
        }
        pair_end(&p);
    }
    for (int i = 0; i < POINTS; i++)
        for (int n = 0; n < 2; n++) {
            Mean m = values_mean(each[i][n], PAIRS);
            x[i] = lost[i];
            y[n][i] = m.mean;
            error[n][i] = m.error;
        }
    const double *const errors[] = {error[0], error[1]};
    const PlotSeries series[] = {{"trained with dropout 1/2", x, y[0], POINTS},
                                 {"trained without dropout", x, y[1], POINTS}};
    return SKETCH_CURVES(s, "What remains when units are lost, mean of 5 trainings", series,
                         .errors = errors, .x_name = "units of 64 that are set to 0",
                         .y_name = "accuracy", .y_low = 0.4, .y_high = 1);
}

const Figure redundancy_figures[] = {
    {33, "redundancy", draw_redundancy,
     .what = "accuracy against the number of units that are lost, with and without dropout"},
    {0},
};
