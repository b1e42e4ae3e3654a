/* pyramid.c: a small hierarchical model of digits, beside a flat Vision Transformer (row 50).
 *
 *   picture (B, 16 x 16, 1) -> patches 2 x 2 -> (B, 64, C)
 *     stage 1   64 tokens of  C channels, windows of 4 x 4: two blocks, the second one shifted
 *     merging   2 x 2 tokens -> LayerNorm -> linear 4 C -> 2 C
 *     stage 2   16 tokens of 2 C, one window, one block; merging; stage 3: 4 tokens of 4 C, one block
 *   -> LayerNorm -> the mean of the tokens -> linear -> logits (B, 10)
 *
 * No position is added: merging writes four neighbours into different channels, and so knows which
 * is which. The flat models have learned positions and as many weights, but all their layers have
 * the tokens of the first. */
#include "data/corpora/corpora.h"
#include "examples/common/pictures.h"
#include "examples/vit/model.h"
#include "lectures/07-vision/vision.h"
#include "lectures/runner/counting.h"

#include <string.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, STAGES = 3, CLASSES = 10, STREAM = 5060 };
enum { TRAIN = 2000, TEST = 1000, BATCH = 50, STEPS = 200 };

/* ---- the digits ------------------------------------------------------------------------------ */

/* 28 x 28 pixels to 14 x 14, each the mean of four, and a border of one pixel. */
static void halve(Images *m)
{
    enum { WIDE = DATA_DIGIT_SIDE };
    for (int64_t image = 0; image < m->shape.dim[0]; image++) {
        uint8_t small[PIXELS] = {0};
        for (int i = 0; i < WIDE / 2 * WIDE / 2; i++) {
            int y = i / (WIDE / 2), x = i % (WIDE / 2);
            const uint8_t *p = m->bytes + image * WIDE * WIDE + 2 * y * WIDE + 2 * x;
            small[(y + 1) * SIDE + x + 1] = (uint8_t)((p[0] + p[1] + p[WIDE] + p[WIDE + 1]) / 4);
        }
        memcpy(m->bytes + image * PIXELS, small, PIXELS);
    }
    m->shape = shape3(m->shape.dim[0], SIDE, SIDE);
}

/* Kept until another seed is asked for. NULL after an error. */
static Pictures *digits_of(uint64_t seed)
{
    static Pictures digits;
    static uint64_t made_for;
    static bool made;
    if (made && made_for == seed)
        return &digits;
    if (made)
        pictures_free(&digits);
    made = pictures_drawn(&digits, TRAIN, TEST, seed);
    made_for = seed;
    if (!made)
        return NULL;
    halve(&digits.train);
    halve(&digits.test);
    digits.side = SIDE;
    return &digits;
}

/* ---- the models ------------------------------------------------------------------------------ */

enum { WIDTH = 8 };
static const int blocks_of[STAGES] = {2, 1, 1}, heads_of[STAGES] = {2, 2, 4};

typedef struct {
    Linear patch, merge[STAGES - 1], head;
    TransformerBlock block[STAGES][2];
    Norm merge_norm[STAGES - 1], norm;
} Pyramid;

static bool pyramid_init(Pyramid *m, Params *p)
{
    bool ok = nn_linear_init(&m->patch, p, "patch", 4, WIDTH, true);
    for (int s = 0; ok && s < STAGES; s++) {
        int C = WIDTH << s;
        BlockConfig config = {.channels = C, .heads = heads_of[s]};
        for (int l = 0; ok && l < blocks_of[s]; l++)
            ok = nn_transformer_block_init(&m->block[s][l], p, params_path(p, "stage.%d.%d", s, l),
                                           config);
        if (ok && s + 1 < STAGES)
            ok =
                nn_layernorm_init(&m->merge_norm[s], p, params_path(p, "merge_norm.%d", s),
                                  4 * C) &&
                nn_linear_init(&m->merge[s], p, params_path(p, "merge.%d", s), 4 * C, 2 * C, false);
    }
    return ok && nn_layernorm_init(&m->norm, p, "norm", WIDTH << (STAGES - 1)) &&
           nn_linear_init(&m->head, p, "head", WIDTH << (STAGES - 1), CLASSES, true);
}

/* FLAT_COARSE has patches of 4 x 4, 16 tokens; FLAT_FINE those of the pyramid's first stage, 64.
 * The last two break it. */
typedef enum { PYRAMID, FLAT_COARSE, FLAT_FINE, MEAN_MERGE, WHOLE_WINDOW, VARIANTS } Variant;

typedef struct {
    Params *params;
    Variant variant;
    Pyramid pyramid;
    Model vit;
} Classifier;

/* Four neighbours as one token (B, n / 4, 4 C). MEAN_MERGE: as four times their mean, which forgets
 * their order. */
static Tensor *merged(const Classifier *m, Tensor *x, int side)
{
    Tensor *four = neighbours_joined(x, side, 2);
    if (m->variant != MEAN_MERGE)
        return four;
    Shape apart = shape4(four->shape.dim[0], four->shape.dim[1], 4, x->shape.dim[2]);
    Tensor *mean = ag_mean_axis(ag_reshape(four, apart), 2, true);
    return ag_reshape(ag_copy(ag_expand(mean, apart)), four->shape);
}

/* pictures (B, 256, 1) -> logits (B, 10) */
static Tensor *pyramid_logits(const Classifier *c, Tensor *pictures)
{
    const Pyramid *m = &c->pyramid;
    Tensor *x = nn_linear(&m->patch, neighbours_joined(pictures, SIDE, 2));
    for (int s = 0, side = SIDE / 2; s < STAGES; s++, side /= 2) {
        int window = side < 4 || c->variant == WHOLE_WINDOW ? side : 4;
        for (int l = 0; l < blocks_of[s]; l++)
            x = swin_block(&m->block[s][l], x,
                           (Windows){side, window, l % 2 && window < side ? window / 2 : 0});
        if (s + 1 < STAGES)
            x = nn_linear(&m->merge[s], nn_norm(&m->merge_norm[s], merged(c, x, side)));
    }
    return nn_linear(&m->head, ag_mean_axis(nn_norm(&m->norm, x), 1, false));
}

static bool classifier_init(Classifier *c, Variant variant, uint64_t seed)
{
    ModelConfig flat = {.side = SIDE,
                        .colours = 1,
                        .patch = variant == FLAT_COARSE ? 4 : 2,
                        .channels = variant == FLAT_COARSE ? 28 : 20,
                        .heads = 2,
                        .layers = variant == FLAT_COARSE ? 2 : 4,
                        .classes = CLASSES,
                        .position = POSITION_LEARNED,
                        .pool = POOL_MEAN};
    *c = (Classifier){.params = params_new(seed), .variant = variant};
    return variant == FLAT_COARSE || variant == FLAT_FINE ? vit_init(&c->vit, c->params, flat)
                                                          : pyramid_init(&c->pyramid, c->params);
}

/* x (B, 256) -> logits (B, 10) */
static Tensor *logits_of(const Classifier *c, Tensor *x)
{
    int64_t B = x->shape.dim[0];
    return c->variant == FLAT_COARSE || c->variant == FLAT_FINE
               ? vit_logits(&c->vit, ag_reshape(x, shape4(B, 1, SIDE, SIDE)))
               : pyramid_logits(c, ag_reshape(x, shape3(B, PIXELS, 1)));
}

/* ---- training -------------------------------------------------------------------------------- */

/* Which of the test digits are answered rightly, 1 or 0; returns their share, NaN after an
 * error. */
static double test(const Classifier *c, uint64_t seed, double right[TEST])
{
    static real x[TEST * PIXELS];
    static int32_t labels[TEST];
    double share = 0;
    Tape *tape = tape_new(seed);
    tape->no_grad = true;
    bool ok = pictures_test(digits_of(seed), 0, TEST, x, labels);
    Tensor *logits = logits_of(c, tape_input(tape, x, shape2(TEST, PIXELS)));
    ok = ok && isfinite(values_largest(logits));
    for (int i = 0; ok && i < TEST; i++) {
        const real *row = logits->data + i * CLASSES;
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            best = row[k] > row[best] ? k : best;
        right[i] = best == labels[i];
        share += right[i] / TEST;
    }
    tape_free(tape);
    return ok ? share : (double)NAN;
}

/* curve: the accuracy after 0, EVERY, 2 EVERY, ... steps, or NULL. */
enum { EVERY = 25, POINTS = STEPS / EVERY + 1 };

static bool train(Classifier *c, uint64_t seed, double *curve)
{
    static real x[BATCH * PIXELS];
    static int32_t labels[BATCH];
    double right[TEST];
    Pictures *digits = digits_of(seed);
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = digits && tape && adam_init(&adam, c->params, 0);
    for (int step = 0; ok && step < STEPS; step++) {
        if (curve && step % EVERY == 0)
            curve[step / EVERY] = test(c, seed, right);
        ok = pictures_batch(digits, step, BATCH, x, labels);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 4e-3, 1e-4);
        Tensor *logits = logits_of(c, tape_input(tape, x, shape2(BATCH, PIXELS)));
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, labels, shape1(BATCH)));
        ok = ok && ag_backward(loss) && adam_step(&adam, c->params);
    }
    if (curve)
        curve[POINTS - 1] = test(c, seed, right);
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

/* A trained model, kept until another seed, or a curve, is asked for. NULL after an error. */
static const Classifier *trained(Variant variant, uint64_t seed, double *curve)
{
    static Classifier models[VARIANTS];
    static uint64_t made_for[VARIANTS];
    Classifier *c = &models[variant];
    if (c->params && made_for[variant] == seed && !curve)
        return c;
    params_free(c->params);
    made_for[variant] = seed;
    return classifier_init(c, variant, seed) && train(c, seed, curve) ? c : NULL;
}

/* ---- work and weights ------------------------------------------------------------------------ */

/* Multiply-adds for one picture, as they are done. */
static double work(const Classifier *c, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = STREAM};
    Tape *tape = tape_new(seed);
    tape->no_grad = true;
    Tensor *x = values_normal(tape, &rng, shape2(1, PIXELS), 1);
    counting_begin();
    logits_of(c, x);
    double done = (double)counting_end();
    tape_free(tape);
    return done;
}

static double flat_costs(Trial *t)
{
    static const char *const names[] = {"pyramid", "flat, 16 tokens", "flat, 64 tokens"};
    double done[FLAT_FINE + 1], weights[FLAT_FINE + 1];
    for (Variant v = PYRAMID; v <= FLAT_FINE; v++) {
        Classifier c;
        classifier_init(&c, v == PYRAMID && broken(t, "whole") ? WHOLE_WINDOW : v, t->seed);
        done[v] = work(&c, t->seed);
        weights[v] = (double)params_size(c.params);
        explain(
            t, "%-15s  %.0f weights, %7.0f multiply-adds a picture: each weight is used %.0f times",
            names[v], weights[v], done[v], done[v] / weights[v]);
        params_free(c.params);
    }
    return done[FLAT_FINE] / done[PYRAMID];
}

/* ---- accuracy -------------------------------------------------------------------------------- */

static double pyramid_better(Trial *t)
{
    static double right[2][TEST];
    double share[2];
    const Classifier *pyramid = trained(broken(t, "mean") ? MEAN_MERGE : PYRAMID, t->seed, NULL);
    const Classifier *flat = trained(FLAT_COARSE, t->seed, NULL);
    if (!pyramid || !flat)
        return (double)NAN;
    share[0] = test(pyramid, t->seed, right[0]);
    share[1] = test(flat, t->seed, right[1]);
    Mean more = values_mean_difference(right[0], right[1], TEST);
    explain(t, "%d steps of %d digits. Pyramid: accuracy %.3f of %d other digits", STEPS, BATCH,
            share[0], TEST);
    explain(t, "flat, 16 tokens, as many weights, 1.3 times the work: %.3f", share[1]);
    explain(t, "difference %.3f +- %.3f", more.mean, more.error);
    bool both = isfinite(share[0]) &&
                share[1] >= 0.5; /* a flat model that learned nothing proves nothing */
    return both ? more.mean / more.error : (double)NAN;
}

const Claim pyramid_claims[] = {
    {50, flat_costs, "a flat model of as many weights and first tokens takes 7 times the work",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "multiply-adds flat / pyramid, counted, 64 tokens at first, 21,000 weights",
     BETWEEN(7.3, 7.6,
             "by the formulas 1889480 / 250176 = 7.55; 7.34 with the pairs that the "
             "mask hides"),
     .faults = {{"whole", "the windows of stage 1 are the whole picture"}}},
    {50, pyramid_better,
     "after 200 steps a small pyramid is ahead of a flat model of equal weights",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "difference of accuracy in standard errors, 1,000 digits",
     AT_LEAST(4, "4 errors of the digits are chance once in 30,000; another training adds 0.04 "
                 "(20 seeds: all 0.08 to 0.2 ahead). NaN where the flat one is below 0.5"),
     .faults = {{"mean", "merging takes the mean of four tokens, and so forgets which was where"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_pyramid(const Sketch *s)
{
    static const char *const names[] = {"pyramid, 64 to 4 tokens", "flat, 16 tokens"};
    static double steps[POINTS], curve[2][POINTS], error[2][POINTS];
    PlotSeries series[2];
    bool ok = true;
    for (Variant v = PYRAMID; ok && v <= FLAT_COARSE; v++) {
        ok = trained(v, s->seed, curve[v]) != NULL;
        for (int i = 0; i < POINTS; i++) {
            steps[i] = i * EVERY;
            error[v][i] = sqrt(curve[v][i] * (1 - curve[v][i]) / TEST);
        }
        series[v] = (PlotSeries){names[v], steps, curve[v], POINTS};
    }
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "Two models of 21,000 weights"),
                               .x_name = "training step, 50 digits each",
                               .y_name = "accuracy on 1,000 other digits",
                               .y_high = 1,
                               .errors = (const double *const[]){error[0], error[1]}};
    return ok && plot_curves(s->stem, &curves, s->formats);
}

/* The picture, 3 x 3 cells a pixel, with gaps of one cell between its side x side tokens. */
static Tensor *cut_apart(Tape *tape, const real *x, int side)
{
    enum { CELLS = 3 * SIDE };
    int per = CELLS / side, wide = CELLS + side - 1;
    Tensor *map = tape_full(tape, (real)NAN, shape2(wide, wide)); /* drawn in grey */
    for (int i = 0; i < CELLS * CELLS; i++) {
        int row = i / CELLS, column = i % CELLS;
        map->data[(row + row / per) * wide + column + column / per] =
            x[row / 3 * SIDE + column / 3];
    }
    return map;
}

static bool draw_stages(const Sketch *s)
{
    enum { DIGIT = 9 };
    static real x[PIXELS];
    static char title[STAGES][64];
    PlotHeatmap maps[STAGES];
    Tape *tape = tape_new(s->seed);
    bool ok = pictures_test(digits_of(s->seed), DIGIT, 1, x, NULL);
    for (int k = 0, side = SIDE / 2; k < STAGES; k++, side /= 2) {
        snprintf(title[k], sizeof title[k], "stage %d: %d x %d tokens of %d channels", k + 1, side,
                 side, WIDTH << k);
        maps[k] = (PlotHeatmap){.map = cut_apart(tape, x, side),
                                .title = title[k],
                                .row_name = "",
                                .column_name = "",
                                .pixels = true,
                                .scale = {.grey = true, .high = 1}};
    }
    ok = ok && plot_heatmaps(s->stem, maps, STAGES,
                             sketch_title(s, "What a token stands for in the stages of a pyramid"),
                             s->formats);
    tape_free(tape);
    return ok;
}

const Figure pyramid_figures[] = {
    {50, "pyramid", draw_pyramid,
     .what = "a pyramid learns digits faster than a flat model of as many weights"},
    {50, "stages", draw_stages,
     .what = "a digit cut into the tokens of three stages: fewer tokens of more channels"},
    {0},
};
