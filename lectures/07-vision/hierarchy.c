/* hierarchy.c: fewer keys, and fewer tokens from stage to stage (row 50).
 * V "Next Two Lectures: Iterations of Transformers"
 *
 *   PVT (Wang et al. 2021)  keys and values of R x R tokens are one: n queries, n / R^2 keys
 *   Swin (Liu et al. 2021)  between stages 2 x 2 tokens become one of twice the channels: n / 4, 2 C
 *                           (in PVT one of 128, 320 and 512 channels, from 64)
 *
 * Multiply-adds of one attention of n tokens, C channels (projections, then scores and weighted
 * sums):
 *
 *   full      4 n C^2                    + 2 n^2 C
 *   windows   4 n C^2                    + 2 n M^2 C
 *   reduced   3 n C^2 + 2 (n / R^2) C^2  + 2 n^2 C / R^2 */
#include "lectures/07-vision/vision.h"

#include "lectures/runner/counting.h"

#include <time.h>

enum { STREAM = 5040 };

/* ---- neighbours as one token ----------------------------------------------------------------- */

/* Windows of R x R, the tokens of each one after another. */
static Tensor *neighbours_joined(Tensor *x, int side, int ratio)
{
    int64_t C = x->shape.dim[2], g = side / ratio;
    Tensor *y = windows_cut(x, (Windows){.side = side, .window = ratio});
    return ag_reshape(y, shape3(x->shape.dim[0], g * g, (int64_t)ratio * ratio * C));
}

static bool pvt_attention_init(ReducedAttention *a, Params *p, const char *path, int channels,
                               int heads, int side, int ratio)
{
    *a = (ReducedAttention){.side = side, .ratio = ratio};
    return nn_attention_init(&a->attn, p, params_path(p, "%s.attn", path), channels, heads, 0) &&
           nn_linear_init(&a->reduce, p, params_path(p, "%s.reduce", path),
                          (int64_t)ratio * ratio * channels, channels, true) &&
           nn_layernorm_init(&a->norm, p, params_path(p, "%s.norm", path), channels);
}

Tensor *pvt_attention(const ReducedAttention *a, Tensor *x)
{
    Tensor *fewer = nn_linear(&a->reduce, neighbours_joined(x, a->side, a->ratio));
    Tensor *memory = nn_norm(&a->norm, fewer); /* (B, n / R^2, C) */
    return nn_cross_attention(&a->attn, x, memory, (Mask){0});
}

/* ---- a convolution with stride R ------------------------------------------------------------- */

/* The kernel (out, C, R, R) of a linear layer's weight (out, R^2 C); `transposed`: with rows and
 * columns exchanged. */
static Tensor *kernel_of(Tape *tape, Tensor *weight, int ratio, bool transposed)
{
    int64_t out = weight->shape.dim[0], C = weight->shape.dim[1] / (ratio * ratio);
    Tensor *w = ag_reshape(tape_param(tape, weight), shape4(out, ratio, ratio, C));
    return ag_copy(ag_permute(w, transposed ? (int[]){0, 3, 2, 1} : (int[]){0, 3, 1, 2}));
}

static double one_convolution(Trial *t, int ratio)
{
    enum { B = 2, SIDE = 8, IN = 6, OUT = 10 };
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = STREAM + (uint64_t)ratio};
    Linear merge;
    nn_linear_init(&merge, p, "merge", ratio * ratio * IN, OUT, false);
    Tensor *x = values_normal(tape, &rng, shape3(B, SIDE * SIDE, IN), 1);
    Tensor *tokens = nn_linear(&merge, neighbours_joined(x, SIDE, ratio));
    Tensor *picture = ag_permute(ag_reshape(x, shape4(B, SIDE, SIDE, IN)), (int[]){0, 3, 1, 2});
    Tensor *kernel = kernel_of(tape, merge.weight, ratio, broken(t, "transposed"));
    Tensor *map = ag_conv2d(ag_copy(picture), kernel, NULL, ratio, 0); /* (B, OUT, g, g) */
    map = ag_copy(ag_permute(map, (int[]){0, 2, 3, 1}));
    double off = values_difference(tokens, ag_reshape(map, tokens->shape));
    explain(t,
            "R = %d: %d tokens of %d channels -> %lld of %d: max difference %.2g, of outputs %.2f",
            ratio, SIDE * SIDE, IN, (long long)tokens->shape.dim[1], OUT, off,
            values_largest(tokens));
    tape_free(tape);
    params_free(p);
    return off;
}

static double as_convolution(Trial *t)
{
    return values_worst(one_convolution(t, 2), one_convolution(t, 4));
}

/* ---- counted work ---------------------------------------------------------------------------- */

enum { CHANNELS = 8, WINDOW = 4, RATIO = 4, SIDES = 3 };
typedef enum { FULL, WINDOWS, REDUCED, KINDS } Kind;
static const char *const kinds[KINDS] = {"full", "windows 4 x 4", "keys reduced by 4 x 4"};

/* Each kind's attention, with weights. */
typedef struct {
    MultiHeadAttention attn;
    ReducedAttention reduced;
    Kind kind;
    int side;
} Work;

static void work_init(Work *w, Params *p, Kind kind, int side)
{
    *w = (Work){.kind = kind, .side = side};
    nn_attention_init(&w->attn, p, "attn", CHANNELS, 1, 0);
    pvt_attention_init(&w->reduced, p, "reduced", CHANNELS, 1, side, RATIO);
}

static Tensor *work_forward(const Work *w, Tensor *x)
{
    if (w->kind == REDUCED)
        return pvt_attention(&w->reduced, x);
    return w->kind == FULL ? nn_attention(&w->attn, x, (Mask){0})
                           : swin_attention(&w->attn, x, (Windows){w->side, WINDOW, 0});
}

/* The formulas of the head of this file: projections, and what is done for pairs of query and
 * key. */
static double projections(Kind kind, double n, double C)
{
    double R2 = RATIO * RATIO;
    return kind == REDUCED ? 3 * n * C * C + 2 * n / R2 * C * C : 4 * n * C * C;
}

static double pair_work(Kind kind, double n, double C)
{
    double keys = kind == FULL ? n : kind == WINDOWS ? WINDOW * WINDOW : n / (RATIO * RATIO);
    return 2 * n * keys * C;
}

/* Multiply-adds of a forward pass as they are done, and the least time of several that it takes (in
 * seconds of the processors, with the library's own kernels). */
static double counted(uint64_t seed, Kind kind, int side, double *seconds)
{
    enum { TIMES = 4 };
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Work w;
    work_init(&w, p, kind, side);
    tape->no_grad = true;
    int64_t done = 0;
    for (int i = 0; i <= TIMES; i++) { /* the first run counts; it also makes the tape's memory */
        Rng rng = {.seed = seed, .stream = STREAM + 10};
        tape_reset(tape);
        Tensor *x = values_normal(tape, &rng, shape3(1, side * side, CHANNELS), 1);
        if (i == 0)
            counting_begin();
        clock_t began = clock();
        work_forward(&w, x);
        double took = (double)(clock() - began) / CLOCKS_PER_SEC + 1e-7;
        if (i == 0)
            done = counting_end();
        else
            *seconds = i == 1 ? took : values_least(*seconds, took);
    }
    tape_free(tape);
    params_free(p);
    return (double)done;
}

/* The sum of |counted - formula| over 64, 256 and 1024 tokens, of attention of one kind; `instead`
 * is what runs. */
static double work_of(Trial *t)
{
    Kind kind = (Kind)t->claim->variant;
    Kind instead = broken(t, kind == WINDOWS ? "whole" : "all-keys") ? FULL : kind;
    double off = 0, n[SIDES], on_pairs[SIDES];
    for (int i = 0; i < SIDES; i++) {
        int side = 8 << i;
        double seconds, full_seconds, C = CHANNELS;
        n[i] = side * side;
        double expected = projections(kind, n[i], C) + pair_work(kind, n[i], C);
        double done = counted(t->seed, instead, side, &seconds);
        double full = counted(t->seed, FULL, side, &full_seconds);
        on_pairs[i] = done - projections(kind, n[i], C);
        explain(t, "%4.0f tokens, %s: %8.0f multiply-adds, by the formula %8.0f, in %.3f ms", n[i],
                kinds[kind], done, expected, 1e3 * seconds);
        explain(t, "             full attention: %.1f times the multiply-adds, %.1f times the time",
                full / done, full_seconds / seconds);
        off += fabs(done - expected);
    }
    explain(t, "without the projections: n^%.2f", values_exponent(n, on_pairs, SIDES));
    return off;
}

/* ---- stages ---------------------------------------------------------------------------------- */

const Claim hierarchy_claims[] = {
    {50, as_convolution, "patch merging and PVT's reduction are convolutions R x R with stride R",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "max |linear of the joined tokens - ag_conv2d|, R = 2 and 4",
     AT_MOST(1e-5, "the same sums of up to 96 numbers in another order"),
     .faults = {{"transposed", "the kernel's rows and columns are exchanged"}}},
    {50, work_of,
     "a Swin block's attention takes 4 n C^2 + 2 n M^2 C multiply-adds, linear in the number n of "
     "tokens",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "sum of |counted - formula|, n = 64, 256, 1024 tokens, M = 4",
     EXACTLY(0, "each query has M^2 keys, and scores and weighted sums take C for each; full: n "
                "keys"),
     .faults = {{"whole", "the window is the whole picture"}}, .variant = WINDOWS},
    {50, work_of,
     "PVT's pairs cost 2 n^2 C / R^2 multiply-adds, R^2 times fewer, and still quadratic in n",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "sum of |counted - formula|, n = 64, 256, 1024 tokens, R = 4",
     EXACTLY(0, "n / R^2 keys; the reduction takes n C^2, half of what keys and values no longer "
                "take"),
     .faults = {{"all-keys", "keys and values are not reduced"}}, .variant = REDUCED},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* Counted multiply-adds of one attention by the number of tokens, projections included. */
static bool draw_vision_work(const Sketch *s)
{
    static const char *const names[KINDS] = {"full", "windows 4 x 4", "keys reduced by 4 x 4"};
    static double n[SIDES], done[KINDS][SIDES], square[SIDES];
    PlotSeries series[KINDS + 1];
    for (Kind k = FULL; k < KINDS; k++) {
        for (int i = 0; i < SIDES; i++) {
            double seconds;
            n[i] = (8 << i) * (8 << i);
            done[k][i] = counted(s->seed, k, 8 << i, &seconds);
            square[i] = 2 * n[i] * n[i];
        }
        series[k] = (PlotSeries){names[k], n, done[k], SIDES};
    }
    series[KINDS] = (PlotSeries){"2 n\xc2\xb2, for its slope", n, square, SIDES};
    const PlotCurves curves = {.series = series,
                               .count = KINDS + 1,
                               .title = sketch_title(s, "Multiply-adds of one attention"),
                               .x_name = "n tokens",
                               .y_name = "multiply-adds, counted, C = 8",
                               .log_x = true,
                               .log_y = true,
                               .y_low = 5e3,
                               .y_high = 1e8};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure hierarchy_figures[] = {
    {50, "vision_work", draw_vision_work,
     .what = "the work of full attention, of windows and of reduced keys by the number of tokens"},
    {0},
};
