/* dropout.c: numbers left out at random (row 33).
 *
 *   a = w_0 x + w_1 y;  with each input dropped with p = 1/2:  E[a] = (w_0 x + w_1 y) / 2
 *                                       J "Regularization: Dropout", "Dropout: Test Time", "At test time...."
 *
 * J scales down at test time. The library scales up in training, by 1 / (1 - p) ("inverted" dropout), so that nothing
 * is left to do at test time; in expectation both are the same. */
#include "lectures/05-block/block.h"

#include <string.h>

/* ---- the slide's neuron ------------------------------------------------------------------------------------- */

static const double w[2] = {0.8, -1.5}, in[2] = {2, 0.6};

/* The neuron under one of the four masks: bit 0 keeps x, bit 1 keeps y. */
static double masked(int mask)
{
    return (mask & 1 ? w[0] * in[0] : 0) + (mask & 2 ? w[1] * in[1] : 0);
}

static double four_masks(Trial *t)
{
    double p = broken(t, "quarter") ? 0.25 : 0.5, mean = 0;
    for (int mask = 0; mask < 4; mask++) {
        double chance = (mask & 1 ? 1 - p : p) * (mask & 2 ? 1 - p : p);
        mean += chance * masked(mask);
        explain(t, "x %s, y %s: a = %5.2f, with probability %.4f", mask & 1 ? "kept   " : "dropped",
                mask & 2 ? "kept   " : "dropped", masked(mask), chance);
    }
    explain(t, "E[a] = %.4f; (w_0 x + w_1 y) / 2 = %.4f; test time without scaling: %.4f", mean,
            masked(3) / 2, masked(3));
    return fabs(mean - masked(3) / 2);
}

const Claim claim_four_masks = {
    .row = 33,
    .statement = "over the four masks E[a] = (w_0 x + w_1 y) / 2",
    .slides = {"J: Dropout: Test Time", "J: At test time....", "J: Regularization: Dropout"},
    .quantity = "|E[a] - half of the sum|, all four enumerated",
    AT_MOST(1e-12),
    .why = "four numbers added in double",
    .faults = {{"quarter", "p is 1/4: a factor 1/2 no longer fits"}},
    .measure = four_masks,
};

/* ---- the library's ------------------------------------------------------------------------------------------ */

/* The mean of dropout(x) over many masks, against x, in standard errors of the mean: x sqrt(p / ((1 - p) n)). */
static double inverted(Trial *t)
{
    enum { UNITS = 8, DRAWS = 4000 };
    Tape *tape = tape_new(t->seed);
    const double p = 0.3;
    double sum[UNITS] = {0}, worst = 0;
    tape->training = true;
    for (int d = 0; d < DRAWS; d++) {
        tape_reset(tape);
        Tensor *y = ag_dropout(tape_full(tape, 2, shape1(UNITS)), (real)p);
        if (broken(t, "not-inverted"))
            y = ag_scale(y, (real)(1 - p));
        for (int i = 0; i < UNITS; i++)
            sum[i] += (double)y->data[i] / DRAWS;
    }
    for (int i = 0; i < UNITS; i++) {
        double error = 2 * sqrt(p / (1 - p) / DRAWS);
        worst = values_worst(worst, fabs(sum[i] - 2) / error);
        explain(t, "unit %d: mean over %d masks %.4f +- %.4f; without dropout 2", i + 1, DRAWS,
                sum[i], error);
    }
    tape_free(tape);
    return worst;
}

const Claim claim_inverted = {
    .row = 33,
    .statement = "scaled by 1 / (1 - p), dropout leaves the expectation as it is",
    .slides = {"J: At test time....", "J: Residual Connections, Dropout, and Normalization"},
    .quantity = "largest |mean - x| in standard errors, 8 units, p = 0.3",
    AT_MOST(4),
    .why = "4 standard errors: by chance once in 2,000 such tables of 8",
    .faults = {{"not-inverted", "kept numbers stay as they are"}},
    .measure = inverted,
};

static double test_time(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 33};
    tape->training = broken(t, "still-training");
    Tensor *x = values_normal(tape, &rng, shape2(8, 8), 1);
    double off = values_difference(ag_dropout(x, (real)0.1), x);
    explain(t, "max |dropout(x) - x| = %.3g while the tape is %s training", off,
            tape->training ? "" : "not");
    tape_free(tape);
    return off;
}

const Claim claim_test_time = {
    .row = 33,
    .statement = "at test time dropout does nothing",
    .slides = {"J: Dropout: Test Time"},
    .quantity = "max |dropout(x) - x|",
    EXACTLY(0),
    .why = "it gives back x itself",
    .faults = {{"still-training", "the tape is left in training"}},
    .measure = test_time,
    .holds_on_nan = "x itself comes back; no kernel is run",
    .holds_on_zeros = "x itself comes back; no kernel is run",
};

/* ---- an ensemble -------------------------------------------------------------------------------------------- */

static double sub_networks(Trial *t)
{
    enum { UNITS = 8, DRAWS = 4000 };
    static bool seen[1 << UNITS];
    memset(seen, 0, sizeof seen);
    Tape *tape = tape_new(t->seed);
    int different = 0;
    tape->training = true;
    for (int d = 0; d < DRAWS; d++) {
        int mask = 0;
        tape_reset(tape);
        if (broken(t, "same-step"))
            tape->step = 1;
        Tensor *y = ag_dropout(tape_full(tape, 1, shape1(UNITS)), (real)0.5);
        for (int i = 0; i < UNITS; i++)
            mask |= (y->data[i] != 0) << i;
        different += !seen[mask];
        seen[mask] = true;
    }
    explain(t, "%d masks of %d units were drawn; %d different ones occurred", DRAWS, UNITS,
            different);
    tape_free(tape);
    return different;
}

const Claim claim_sub_networks = {
    .row = 33,
    .statement = "dropout of n units trains 2^n networks that share their weights",
    .slides = {"J: Waaaaait a second..."},
    .quantity = "different masks of 8 units among 4,000 steps",
    EXACTLY(256),
    .why = "2^8; that one never comes has probability 256 (255/256)^4000 = 4e-5",
    .faults = {{"same-step", "the tape's step, which decides the mask, stays as it is"}},
    .measure = sub_networks,
};

enum { HIDDEN = 10, OUTPUTS = 4 };

/* A network x -> HIDDEN -> OUTPUTS whose hidden units are kept by a mask, times `factor`; softmax at the end unless
 * it is to be linear. */
typedef struct {
    double first[HIDDEN], second[OUTPUTS][HIDDEN];
    bool linear;
} Network;

static Network network_of(uint64_t seed, bool linear)
{
    Network n = {.linear = linear};
    Rng rng = {.seed = seed, .stream = 331};
    for (int h = 0; h < HIDDEN; h++)
        n.first[h] = fabs(rng_normal(&rng));
    for (int o = 0; o < OUTPUTS; o++)
        for (int h = 0; h < HIDDEN; h++)
            n.second[o][h] = 0.5 * rng_normal(&rng);
    return n;
}

static void evaluate(const Network *n, int mask, double factor, double out[OUTPUTS])
{
    double sum = 0;
    for (int o = 0; o < OUTPUTS; o++) {
        out[o] = 0;
        for (int h = 0; h < HIDDEN; h++)
            out[o] += mask >> h & 1 ? factor * n->second[o][h] * n->first[h] : 0;
        sum += exp(out[o]);
    }
    for (int o = 0; o < OUTPUTS && !n->linear; o++)
        out[o] = exp(out[o]) / sum;
}

/* max |mean of all 2^10 networks - one pass with scaled activations|, over the outputs. */
static double ensemble_gap(const Network *n)
{
    double mean[OUTPUTS] = {0}, one[OUTPUTS], worst = 0;
    for (int mask = 0; mask < 1 << HIDDEN; mask++) {
        evaluate(n, mask, 1, one);
        for (int o = 0; o < OUTPUTS; o++)
            mean[o] += one[o] / (1 << HIDDEN);
    }
    evaluate(n, (1 << HIDDEN) - 1, 0.5, one);
    for (int o = 0; o < OUTPUTS; o++)
        worst = values_worst(worst, fabs(mean[o] - one[o]));
    return worst;
}

static double ensemble(Trial *t)
{
    Network bent = network_of(t->seed, broken(t, "linear")), straight = network_of(t->seed, true);
    double gap = ensemble_gap(&bent);
    explain(t, "linear output: the mean of 1,024 networks is the scaled pass to %.1g",
            ensemble_gap(&straight));
    explain(t, "softmax output: they differ by %.4f", gap);
    return gap;
}

const Claim claim_ensemble = {
    .row = 33,
    .statement = "one scaled pass is the mean of all 2^n networks, but only nearly",
    .slides = {"J: Dropout: Test Time", "J: Waaaaait a second..."},
    .quantity = "max |mean of 1,024 networks - scaled pass|, probabilities of 4",
    BETWEEN(1e-3, 0.2),
    .why = "exact where the output is linear in the units; the softmax bends it a little",
    .faults = {{"linear", "no softmax: then they are equal to rounding"}},
    .measure = ensemble,
};

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static bool draw_masks(const Sketch *s)
{
    static const char *const names[] = {"both dropped", "x kept",           "y kept",
                                        "both kept",    "mean of the four", "(w0 x + w1 y) / 2"};
    const double a = 1.6, b = 0.9; /* w0 x and w1 y */
    const double values[] = {0, a, b, a + b, (0 + a + b + a + b) / 4, (a + b) / 2};
    const PlotBars bars = {.names = names, .values = values, .count = 6, .title = NULL};
    return plot_bars(s->stem, &bars, 1, sketch_title(s, "A neuron under the four masks"),
                     s->formats);
}

const Figure figure_masks = {
    .row = 33,
    .name = "masks",
    .what = "a neuron of two inputs under the four masks, their mean, and half of the sum",
    .draw = draw_masks,
};

static bool draw_ensemble(const Sketch *s)
{
    enum { POINTS = 200 };
    static double y[2][POINTS], x[POINTS];
    for (int k = 0; k < 2; k++) {
        Network n = network_of(s->seed, false);
        Rng rng = {.seed = s->seed, .stream = 332};
        double one[OUTPUTS], sum = 0;
        evaluate(&n, (1 << HIDDEN) - 1, 0.5, one);
        for (int i = 0; i < POINTS; i++) {
            double out[OUTPUTS];
            evaluate(&n, (int)rng_below(&rng, 1 << HIDDEN), 1, out);
            sum += out[0];
            x[i] = i + 1;
            y[k][i] = k == 0 ? sum / (i + 1) : one[0];
        }
    }
    const PlotSeries series[] = {{"mean of so many networks", x, y[0], POINTS},
                                 {"one scaled pass", x, y[1], POINTS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title =
                                   sketch_title(s,
                                                "An ensemble, and the one pass that stands for it"),
                               .x_name = "networks",
                               .y_name = "probability of the first output",
                               .y_low = 0,
                               .y_high = 0.4};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_ensemble = {
    .row = 33,
    .name = "ensemble",
    .what = "the mean over dropped networks settles near the one scaled pass",
    .draw = draw_ensemble,
};
