/* windows.c: attention that leaves pairs out (row 28).        J "Sparse Attention in Transformer", H "Complexity"
 *
 *   sliding    keys at most w places away
 *   dilated    every s-th of them, up to w s places away
 *   global     the first g tokens see all and are seen by all; a window for the others */
#include "lectures/04-attention/attention.h"

#include "lectures/runner/counting.h"

enum { D = 16, W = 4, S = 2, G = 2, KINDS = 4 };

typedef struct {
    const char *name;
    Mask mask;
} Pattern;

static const Pattern patterns[KINDS] = {
    {"full", {0}},
    {"sliding window", {.window = W}},
    {"dilated window", {.window = W, .dilation = S}},
    {"window and global", {.window = W, .global = G}},
};

/* Which pairs a pattern keeps, said once more and plainly. */
static bool kept(const Mask *m, int i, int j)
{
    int gap = i > j ? i - j : j - i, step = m->dilation > 1 ? m->dilation : 1;
    bool everywhere = !m->window || i < m->global || j < m->global;
    return everywhere || (gap <= m->window * step && gap % step == 0);
}

static int pairs(const Mask *m, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            count += kept(m, i, j);
    return count;
}

/* Multiply-adds that attention over n tokens really does. */
static double counted(int n, Mask mask, uint64_t seed)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 280};
    Tensor *x = values_normal(tape, &rng, shape2(n, D), 1);
    counting_begin();
    ag_attention(x, x, x, mask, 0);
    double done = (double)counting_end();
    tape_free(tape);
    return done;
}

static double counted_pairs(Trial *t)
{
    enum { N = 32 };
    double worst = 0;
    for (int k = 0; k < KINDS; k++) {
        Mask mask = broken(t, "computed-anyway") ? (Mask){0} : patterns[k].mask;
        double done = counted(N, mask, t->seed);
        int expected = 2 * D * pairs(&patterns[k].mask, N);
        explain(t, "%-18s %4d of %d pairs, %6.0f multiply-adds, 2 d each: %6d", patterns[k].name,
                pairs(&patterns[k].mask, N), N * N, done, expected);
        worst = values_worst(worst, fabs(done - expected));
    }
    return worst;
}

const Claim claim_window_pairs = {
    .row = 28,
    .statement = "a window costs what its pairs cost: 2 d multiply-adds each",
    .slides = {"J: Sparse Attention in Transformer", "H: Complexity"},
    .quantity = "max |counted - 2 d pairs|: full, sliding, dilated, with global tokens",
    EXACTLY(0),
    .why = "d for q.k and d for a v, counted one by one; hidden pairs are not computed",
    .faults = {{"computed-anyway", "all pairs are computed, and hidden afterwards"}},
    .measure = counted_pairs,
};

/* Exponents of the cost in n, n = 64 to 512: full attention's less the window's. */
static double window_is_linear(Trial *t)
{
    enum { POINTS = 4 };
    double n[POINTS], full[POINTS], window[POINTS];
    Mask mask = broken(t, "no-window") ? (Mask){0} : patterns[1].mask;
    for (int i = 0; i < POINTS; i++) {
        n[i] = 64 << i;
        full[i] = counted((int)n[i], (Mask){0}, t->seed);
        window[i] = counted((int)n[i], mask, t->seed);
        explain(t, "n = %3.0f: full %9.0f, window %8.0f multiply-adds", n[i], full[i], window[i]);
    }
    double p = values_exponent(n, full, POINTS), q = values_exponent(n, window, POINTS);
    explain(t, "full: n^%.3f, window: n^%.3f", p, q);
    return q;
}

const Claim claim_window_linear = {
    .row = 28,
    .statement = "with a window the cost grows with n, not with n^2",
    .slides = {"J: Sparse Attention in Transformer", "H: Complexity"},
    .quantity = "exponent of the counted multiply-adds in n",
    BETWEEN(0.95, 1.05),
    .why = "n (2 w + 1) - w (w + 1) pairs: the ends bend the exponent by some w / 2n",
    .faults = {{"no-window", "the window is left off: every pair"}},
    .measure = window_is_linear,
};

/* How far a change travels in L layers of window w: the far end of the sentence, as in a stack of convolutions. */
static double reach(Trial *t)
{
    enum { N = 24, LAYERS = 3, C = 8, WINDOW = 3 };
    Params *params = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 281};
    Tensor *x = values_leaf(tape, &rng, shape3(1, N, C), 1), *y = x;
    for (int l = 0; l < LAYERS; l++) {
        MultiHeadAttention a;
        nn_attention_init(&a, params, params_format(params, "layer.%d", l), C, 2, 0);
        y = nn_attention(&a, y, (Mask){.window = WINDOW, .global = broken(t, "global") ? 1 : 0});
    }
    static real upstream[N * C];
    upstream[(N - 1) * C] = 1; /* of the last token's result */
    ag_backward_from(y, upstream);
    int farthest = N - 1;
    for (int i = N * C - 1; i >= 0; i--)
        if (x->grad[i] != 0)
            farthest = i / C;
    explain(t, "%d layers, %d to each side: the last token hears from %d places away", LAYERS,
            WINDOW, N - 1 - farthest);
    tape_free(tape);
    params_free(params);
    return N - 1 - farthest;
}

const Claim claim_window_reach = {
    .row = 28,
    .statement = "L layers of window w reach L w places, and a global token all",
    .slides = {"J: Sparse Attention in Transformer"},
    .quantity = "places away of the farthest token that has a gradient, L = 3 and w = 3",
    EXACTLY(9),
    .why = "each layer adds w places to each side; beyond, the gradient is exactly 0",
    .faults = {{"global", "token 1 sees all and is seen by all: two layers reach everything"}},
    .measure = reach,
};

static bool draw_windows(const Sketch *s)
{
    enum { N = 16 };
    Tensor *keep[KINDS];
    PlotHeatmap maps[KINDS];
    char title[KINDS][96];
    for (int k = 0; k < KINDS; k++) {
        const Mask *m = &patterns[k].mask;
        keep[k] = tensor_new(shape2(N, N));
        for (int i = 0; i < N * N; i++)
            keep[k]->data[i] = kept(m, i / N, i % N);
        snprintf(title[k], sizeof title[k], "%s: %d of %d pairs", patterns[k].name, pairs(m, N),
                 N * N);
        maps[k] = (PlotHeatmap){.map = keep[k],
                                .title = title[k],
                                .scale = {.low = 0, .high = 1, .name = "1: computed, 0: left out"}};
    }
    bool ok = plot_heatmaps(s->stem, maps, KINDS, sketch_title(s, "Sparse attention"), s->formats);
    for (int k = 0; k < KINDS; k++)
        tensor_free(keep[k]);
    return ok;
}

const Figure figure_windows = {
    .row = 28,
    .name = "windows",
    .what = "full, sliding, dilated, and global with a window: the pairs that are computed",
    .draw = draw_windows,
};
