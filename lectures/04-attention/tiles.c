/* tiles.c: attention without the matrix A: the softmax of keys that come in tiles (row 30).
 * H "Complexity"
 *
 * Of a query's scores, the largest so far m and the sum so far l are kept, with the weighted sum of
 * values y:
 *
 *   a tile brings scores s_j:   m' = max(m, s_j),  c = exp(m - m')
 *                               l' = c l + sum exp(s_j - m'),   y' = c y + sum exp(s_j - m') v_j
 *   at the end                  y / l
 *
 * (Milakov and Gimelshein 2018; FlashAttention, Dao et al. 2022.) */
#include "lectures/04-attention/attention.h"

#include "lectures/runner/counting.h"

enum { T = 40, D = 16, TILE = 16 };

/* What one query has seen: the largest score, and sums of e^(s - m) and of e^(s - m) v. */
typedef struct {
    double m, l, y[D];
} Seen;

static void add_key(Seen *r, double e, const real *v)
{
    r->l += e;
    for (int k = 0; k < D; k++)
        r->y[k] += e * (double)v[k];
}

/* n more scores, with their values. no_rescale: what was summed stays as it is. */
static void take_tile(Seen *r, const double *s, const real *v, int n, bool no_rescale)
{
    double m = r->m;
    for (int j = 0; j < n; j++)
        m = fmax(m, s[j]);
    double c = no_rescale && r->l > 0 ? 1 : exp(r->m - m);
    r->m = m;
    r->l *= c;
    for (int k = 0; k < D; k++)
        r->y[k] *= c;
    for (int j = 0; j < n; j++)
        add_key(r, exp(s[j] - m), v + j * D);
}

/* One query against all keys, TILE at a time. Besides the result it holds TILE + 2 numbers, however
 * many keys. */
static void attend_in_tiles(const real *q, const real *k, const real *v, double *y, double scale,
                            bool no_rescale)
{
    Seen seen = {.m = -INFINITY};
    for (int from = 0; from < T; from += TILE) {
        double s[TILE] = {0};
        int n = T - from < TILE ? T - from : TILE;
        for (int j = 0; j < n; j++)
            for (int c = 0; c < D; c++)
                s[j] += scale * (double)q[c] * (double)k[(from + j) * D + c];
        take_tile(&seen, s, v + from * D, n, no_rescale);
    }
    for (int c = 0; c < D; c++)
        y[c] = seen.y[c] / seen.l;
}

/* max |tiles - softmax(Q K^T / sqrt(d)) V|. */
static double tiles_off(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 300);
    Tensor *q = values_normal(tape, rng, shape2(T, D), 1);
    Tensor *k = values_normal(tape, rng, shape2(T, D), 1);
    Tensor *v = values_normal(tape, rng, shape2(T, D), 1);
    Tensor *scores = ag_scale(ag_matmul(q, ag_transpose(k, 0, 1)), (real)(1 / sqrt(D)));
    Tensor *naive = ag_matmul(ag_softmax(scores), v);
    double worst = 0;
    for (int i = 0; i < T; i++) {
        double y[D];
        attend_in_tiles(q->data + i * D, k->data, v->data, y, 1 / sqrt(D), broken(t, "no-rescale"));
        for (int c = 0; c < D; c++) {
            double off = fabs(y[c] - (double)naive->data[i * D + c]);
            worst = off <= worst ? worst : off; /* a NaN is taken */
        }
    }
    explain(t, "%d keys in tiles of %d, scores up to %.0f: max difference %.2g", T, TILE,
            values_largest(scores), worst);
    return worst;
}

/* ---- the same numbers, the same work --------------------------------------------------------- */

/* Multiply-adds of ag_attention, or of the composed form, forward and backward, over n^2 d. */
static void work_of(uint64_t seed, bool composed, Mask mask, double work[2])
{
    enum { N = 64 };
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 303};
    Tensor *x = values_leaf(tape, &rng, shape3(1, N, D), 1),
           *g = values_normal(tape, &rng, x->shape, 1);
    counting_begin();
    Tensor *y =
        composed ? ag_attention_composed(x, x, x, mask, 0, NULL) : ag_attention(x, x, x, mask, 0);
    work[0] = (double)counting_end() / (N * N * D);
    counting_begin();
    ag_backward_from(y, g->data);
    work[1] = (double)counting_end() / (N * N * D);
    tape_free(tape);
}

static double same_work(Trial *t)
{
    double fused[2], composed[2];
    work_of(t->seed, broken(t, "composed"), (Mask){.window = broken(t, "window") ? 4 : 0}, fused);
    work_of(t->seed, true, (Mask){0}, composed);
    explain(t, "in tiles: %.2f n^2 d forward, %.2f backward", fused[0], fused[1]);
    explain(t, "with the matrix: %.2f n^2 d forward, %.2f backward", composed[0], composed[1]);
    return composed[0] > 0 && fused[0] == composed[0] ? fused[1] - composed[1] : (double)NAN;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bytes that attention over n tokens takes from the tape, forward and backward, without its
 * operands. The kernels' scratch memory, the same for every n, was taken by a first run. */
static double bytes_of(int n, bool composed)
{
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 1, .stream = 301};
    double bytes = NAN;
    for (int warm = 0; warm < 2; warm++) {
        tape_reset(tape);
        Tensor *x = values_leaf(tape, &rng, shape3(1, warm ? n : 1, D), 1);
        Tensor *g = values_normal(tape, &rng, x->shape, 1);
        size_t before = tape->bytes;
        Tensor *y = composed ? ag_attention_composed(x, x, x, (Mask){0}, 0, NULL)
                             : ag_attention(x, x, x, (Mask){0}, 0);
        ag_backward_from(y, g->data);
        bytes = (double)(tape->bytes - before);
    }
    tape_free(tape);
    return bytes;
}

enum { POINTS = 4 };

static double memory_grows(Trial *t)
{
    double n[POINTS], fused[POINTS], matrix[POINTS];
    for (int i = 0; i < POINTS; i++) {
        n[i] = 128 << i;
        fused[i] = bytes_of(128 << i, broken(t, "whole-matrix"));
        matrix[i] = t->notes ? bytes_of(128 << i, true) : 1;
        explain(t, "n = %4.0f: %8.0f KiB in tiles, %8.0f KiB with the matrix", n[i],
                fused[i] / 1024, matrix[i] / 1024);
    }
    double p = values_exponent(n, fused, POINTS);
    explain(t, "n^%.2f in tiles, n^%.2f with the matrix", p, values_exponent(n, matrix, POINTS));
    return p;
}

const Claim tiles_claims[] = {
    {30, tiles_off, "online softmax in tiles gives what the whole matrix gives",
     .slides = {"H: Complexity"}, .quantity = "max |tiles - softmax(Q K^T / sqrt(d)) V|",
     AT_MOST(1e-5, "the rescaling is exact; float rounds the naive form by some 1e-6"),
     .faults = {{"no-rescale", "what was summed under an older maximum is not scaled down"}}},
    {30, same_work,
     "without the matrix attention takes as many multiply-adds forward, 2 n^2 d, and n^2 d more "
     "backward, if no mask hides a pair",
     .slides = {"H: Complexity"},
     .quantity = "multiply-adds backward in tiles less those with the matrix, over n^2 d; NaN "
                 "unless forward they agree",
     EXACTLY(1, "every query meets every key, whether A is stored or not: Q K^T and A V, then dA, "
                "dQ, dK and dV; what is not stored, Q K^T, is computed again"),
     .faults = {{"window", "a window: that does leave pairs out"},
                {"composed", "the weights are kept, and nothing is computed again"}}},
    {30, memory_grows, "without the matrix, memory grows with n, not with n^2",
     .slides = {"H: Complexity"},
     .quantity = "exponent of the bytes, forward and backward, n = 128 to 1024",
     AT_MOST(1.1, "results and gradients are n d numbers and a row needs two more; a matrix would "
                  "be n^2"),
     .faults = {{"whole-matrix", "scores and weights are kept, as for a picture"}},
     HOLDS_POISONED("counts bytes of the tape; no number is read")},
    {0},
};

static bool draw_memory(const Sketch *s)
{
    double n[POINTS], fused[POINTS], matrix[POINTS];
    for (int i = 0; i < POINTS; i++) {
        n[i] = 7 + i;
        fused[i] = bytes_of(128 << i, false) / 1024;
        matrix[i] = bytes_of(128 << i, true) / 1024;
    }
    const PlotSeries series[] = {{"scores and weights kept", n, matrix, POINTS},
                                 {"in tiles", n, fused, POINTS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title =
                                   sketch_title(s, "Memory of attention, one head of 16 channels"),
                               .x_name = "log\xe2\x82\x82 of the tokens n",
                               .y_name = "KiB",
                               .log_y = true,
                               .y_low = 20,
                               .y_high = 30000};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure tiles_figures[] = {
    {30, "memory", draw_memory,
     .what = "bytes that attention takes, by n: in tiles, and with the whole matrix"},
    {0},
};
