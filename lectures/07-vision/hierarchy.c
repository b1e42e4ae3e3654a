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

/* Multiply-adds of a forward pass as they are done. */
static double counted(uint64_t seed, Kind kind, int side)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = STREAM + 10};
    Work w;
    work_init(&w, p, kind, side);
    tape->no_grad = true;
    Tensor *x = values_normal(tape, &rng, shape3(1, side * side, CHANNELS), 1);
    counting_begin();
    work_forward(&w, x);
    int64_t done = counting_end();
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
        double C = CHANNELS, done = counted(t->seed, instead, side);
        n[i] = side * side;
        double expected = projections(kind, n[i], C) + pair_work(kind, n[i], C);
        on_pairs[i] = done - projections(kind, n[i], C);
        explain(t,
                "%4.0f tokens, %s: %8.0f multiply-adds, by the formula %8.0f; full attention: "
                "%.1f times",
                n[i], kinds[kind], done, expected, counted(t->seed, FULL, side) / done);
        off += fabs(done - expected);
    }
    explain(t, "without the projections: n^%.2f", values_exponent(n, on_pairs, SIDES));
    return off;
}

const Claim hierarchy_claims[] = {
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
