/* windows.c: attention that leaves pairs out (row 28).
 * J "Sparse Attention in Transformer", H "Complexity"
 *
 *   sliding    keys at most w tokens away
 *   dilated    w keys to each side, every s-th token, up to w s away
 *   global     the first g tokens see all and are seen by all; a window for the others */
#include "lectures/04-attention/attention.h"

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

/* Which pairs a pattern keeps, as a table of 0 and 1. */
static bool kept(const Mask *m, int i, int j)
{
    int gap = i > j ? i - j : j - i, step = m->dilation > 1 ? m->dilation : 1;
    bool everywhere = !m->window || i < m->global || j < m->global;
    return everywhere || (gap <= m->window * step && gap % step == 0);
}

/* How many pairs of n tokens a pattern keeps: each token 2 w + 1, less what the ends lack, s w (w +
 * 1); a global token has a whole row and a whole column. */
static int pairs(const Mask *m, int n)
{
    int w = (int)m->window, s = m->dilation > 1 ? (int)m->dilation : 1, g = (int)m->global;
    if (!w)
        return n * n;
    return g * n + (n - g) * g + (n - g) * (2 * w + 1) - s * w * (w + 1);
}

/* The weights that the library gives under a pattern, by counting those above 0. */
static double counted_pairs(Trial *t)
{
    enum { N = 32 };
    double worst = 0;
    Tensor *scores = trial_normal(t, 280, shape3(1, N, N));
    for (int k = 0; k < KINDS; k++) {
        Tensor *A = ag_masked_softmax(scores, broken(t, "no-mask") ? (Mask){0} : patterns[k].mask);
        int above = 0, expected = pairs(&patterns[k].mask, N);
        for (int i = 0; i < N * N; i++)
            above += A->data[i] > 0;
        explain(t, "%-18s %4d of %d weights are above 0; by the formula %4d", patterns[k].name,
                above, N * N, expected);
        worst = values_worst(worst, fabs((double)(above - expected)));
    }
    return worst;
}

/* How many tokens away the farthest one is that the last token's result depends on, after `layers`
 * layers. */
static int reach(uint64_t seed, int layers, Mask mask)
{
    enum { N = 40, C = 8 };
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 281};
    Tensor *x = values_leaf(tape, &rng, shape3(1, N, C), 1), *y = x;
    for (int l = 0; l < layers; l++) {
        MultiHeadAttention a;
        nn_attention_init(&a, params, params_path(params, "layer.%d", l), C, 2, 0);
        y = nn_attention(&a, y, mask);
    }
    real upstream[N * C] = {0};
    upstream[(N - 1) * C] = 1;
    ag_backward_from(y, upstream);
    int farthest = N - 1;
    for (int i = N * C - 1; i >= 0; i--)
        if (x->grad[i] != 0)
            farthest = i / C;
    tape_free(tape);
    params_free(params);
    return N - 1 - farthest;
}

static double window_reach(Trial *t)
{
    enum { L = 3, WINDOW = 3, ALL = 39 };
    const Mask masks[] = {{.window = WINDOW},
                          {.window = WINDOW, .dilation = S},
                          {.window = WINDOW, .global = 1}};
    const int expected[] = {L * WINDOW, L * WINDOW * S, ALL};
    static const char *const names[] = {"sliding", "dilated", "with a global token"};
    double off = 0;
    for (int i = 0; i < 3; i++) {
        int tokens = reach(t->seed, broken(t, "one-layer") ? 1 : L, masks[i]);
        explain(t, "%-20s the last token depends on tokens up to %2d away, expected %d", names[i],
                tokens, expected[i]);
        off += fabs((double)(tokens - expected[i]));
    }
    return off;
}

const Claim attention_windows_claims[] = {
    {28, counted_pairs, "a window of w keeps n (2 w + 1) - s w (w + 1) of the n^2 pairs",
     .slides = {"J: Sparse Attention in Transformer", "H: Complexity"},
     .quantity = "max |weights above 0 - formula|: full, sliding, dilated, with global tokens",
     EXACTLY(0, "2 w + 1 keys for each token, less s (1 + ... + w) at each of the two ends"),
     .faults = {{"no-mask", "every pair is seen"}}},
    {28, window_reach, "L layers reach L w tokens, dilated L w s, with a global token all",
     .slides = {"J: Sparse Attention in Transformer"},
     .quantity = "sum of |farthest token with a gradient - formula|, L = 3, w = 3, s = 2",
     EXACTLY(0, "each layer adds w s tokens to each side; beyond them the gradient is exactly 0"),
     .faults = {{"one-layer", "a single layer"}}},
    {0},
};

static bool draw_windows(const Sketch *s)
{
    enum { N = 32 };
    Tensor *keep[KINDS];
    PlotHeatmap maps[KINDS];
    static const char *const legend[] = {"left out", "computed", NULL};
    char title[KINDS][96];
    for (int k = 0; k < KINDS; k++) {
        const Mask *m = &patterns[k].mask;
        keep[k] = tensor_new(shape2(N, N));
        for (int i = 0; i < N * N; i++)
            keep[k]->data[i] = kept(m, i / N, i % N);
        snprintf(title[k], sizeof title[k], "%s: %d of %d pairs", patterns[k].name, pairs(m, N),
                 N * N);
        maps[k] = (PlotHeatmap){.map = keep[k], .title = title[k], .scale = {.legend = legend}};
    }
    bool ok = plot_heatmaps(s->stem, maps, KINDS, sketch_title(s, "Sparse attention"), s->formats);
    for (int k = 0; k < KINDS; k++)
        tensor_free(keep[k]);
    return ok;
}

const Figure attention_windows_figures[] = {
    {28, "windows", draw_windows,
     .what = "full, sliding, dilated, and global with a window: the pairs that are computed"},
    {0},
};
