/* complexity.c: the table of complexities, by counting (row 29).                     H "Complexity"
 *
 *   self-attention  n^2 d      recurrent  n d^2      convolution  k n d^2      restricted  r n d
 *
 * n tokens of d channels; multiply-adds are counted (counting.h), and the exponents are fitted. */
#include "lectures/04-attention/attention.h"

#include "lectures/runner/counting.h"

typedef enum { ATTENTION, RECURRENT, CONVOLUTION, RESTRICTED, LAYERS } Layer;
static const char *const names[LAYERS] = {"self-attention", "recurrent", "convolution",
                                          "restricted"};

/* What a layer is made of: tokens, channels, and the taps of a convolution or the keys of a
 * window. */
typedef struct {
    int n, d, taps;
} Size;

static Tensor *attend(Tensor *x, Params *params, bool projections, int keys)
{
    Mask mask = {.window = keys / 2};
    if (!projections)
        return ag_attention(x, x, x, mask, 0);
    MultiHeadAttention a;
    nn_attention_init(&a, params, "attention", shape_last(x->shape), 1, 0);
    return nn_attention(&a, x, mask);
}

static Tensor *recur(Tensor *x, Params *params, RNNKind kind)
{
    int64_t d = shape_last(x->shape);
    RNN rnn;
    nn_rnn_init(&rnn, params, "rnn", kind, d, d, 1);
    return nn_rnn(&rnn, x, NULL);
}

static Tensor *convolve(Tensor *x, Rng *rng, int taps)
{
    int64_t d = shape_last(x->shape);
    Tensor *w = values_normal(x->tape, rng, shape3(d, d, taps), 0.1);
    return ag_conv1d(ag_transpose(x, 1, 2), w, NULL, 1, taps / 2);
}

/* How a layer departs from H's table, under a fault. */
typedef struct {
    bool projections; /* attention with its four projections */
    bool lstm;        /* a recurrent layer with four gates   */
} Variant;

/* Runs a layer once: its multiply-adds, and the longest chain of ops. */
typedef struct {
    double multiply_adds;
    int depth;
} Cost;

static Cost cost_of(Layer layer, Size s, Variant v)
{
    Params *params = params_new(1);
    Tape *tape = tape_new(1);
    Rng rng = {.seed = 1, .stream = 290};
    tape->no_grad = true;
    Tensor *x = values_normal(tape, &rng, shape3(1, s.n, s.d), 1);
    counting_begin();
    if (layer == ATTENTION || layer == RESTRICTED)
        attend(x, params, v.projections, layer == RESTRICTED ? s.taps : 0);
    else if (layer == RECURRENT)
        recur(x, params, v.lstm ? RNN_LSTM : RNN_TANH);
    else
        convolve(x, &rng, s.taps);
    Cost c = {.multiply_adds = (double)counting_end(), .depth = counting_depth(tape)};
    tape_free(tape);
    params_free(params);
    return c;
}

/* ---- exponents ------------------------------------------------------------------------------- */

enum { POINTS = 3 };

/* The exponent of the cost in n (which 0), d (1) or taps (2): the others stay. */
static double exponent(Layer layer, int which, Variant v)
{
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        Size s = {.n = which == 0 ? 64 << i : 64,
                  .d = which == 1 ? 8 << i : 16,
                  .taps = which == 2 ? (2 << i) + 1 : 5};
        x[i] = which == 0 ? s.n : which == 1 ? s.d : s.taps;
        y[i] = cost_of(layer, s, v).multiply_adds;
    }
    return values_exponent(x, y, POINTS);
}

static double table_of_exponents(Trial *t)
{
    static const int table[LAYERS][3] = {{2, 1, 0}, {1, 2, 0}, {1, 2, 1}, {1, 1, 1}};
    Variant v = {.projections = broken(t, "with-projections")};
    double worst = 0;
    for (Layer l = ATTENTION; l < LAYERS; l++) {
        double p[3] = {exponent(l, 0, v), exponent(l, 1, v),
                       l >= CONVOLUTION ? exponent(l, 2, v) : 0};
        for (int k = 0; k < 3; k++)
            worst = values_worst(worst, fabs(p[k] - table[l][k]));
        explain(t, "%-15s n^%.3f d^%.3f %s%.3f   (the table: %d, %d, %d)", names[l], p[0], p[1],
                l == RESTRICTED ? "r^" : "k^", p[2], table[l][0], table[l][1], table[l][2]);
    }
    return worst;
}

/* ---- steps that wait for each other ---------------------------------------------------------- */

static double sequential_steps(Trial *t)
{
    double n[POINTS], depth[LAYERS][POINTS], worst = 0;
    for (int i = 0; i < POINTS; i++)
        for (Layer l = ATTENTION; l < LAYERS; l++) {
            n[i] = 16 << i;
            Layer run = broken(t, "recurrent") && l == ATTENTION ? RECURRENT : l;
            depth[l][i] = cost_of(run, (Size){.n = 16 << i, .d = 4, .taps = 3}, (Variant){0}).depth;
        }
    for (Layer l = ATTENTION; l < LAYERS; l++) {
        double p = values_exponent(n, depth[l], POINTS), expected = l == RECURRENT;
        explain(t, "%-15s longest chain %3.0f, %3.0f, %3.0f ops at n = 16, 32, 64: n^%.3f",
                names[l], depth[l][0], depth[l][1], depth[l][2], p);
        worst = values_worst(worst, fabs(p - expected));
    }
    return worst;
}

/* ---- where they cross ------------------------------------------------------------------------ */

/* The smallest n at which attention takes no fewer multiply-adds than the recurrent layer, over
 * d. */
static double crossover(Trial *t)
{
    enum { WIDTH = 32 };
    Variant v = {.lstm = broken(t, "four-gates"), .projections = broken(t, "with-projections")};
    double found = NAN;
    for (int n = WIDTH / 4; n <= 4 * WIDTH; n *= 2) {
        double a = cost_of(ATTENTION, (Size){.n = n, .d = WIDTH}, v).multiply_adds;
        double r = cost_of(RECURRENT, (Size){.n = n, .d = WIDTH}, v).multiply_adds;
        explain(t, "n = %2d, d = %d: attention %7.0f, recurrent %7.0f multiply-adds", n, WIDTH, a,
                r);
        if (isnan(found) && a >= r)
            found = (double)n / WIDTH;
    }
    return found;
}

const Claim complexity_claims[] = {
    {29, table_of_exponents,
     "multiply-adds grow as in H's table: attention n^2 d, recurrent n d^2, convolution k n d^2, "
     "window r n d",
     .slides = {"H: Complexity"}, .quantity = "largest |fitted exponent - the table's|",
     AT_MOST(0.08, "all are exact but the ends of windows and of convolutions, at n = 64 some "
                   "taps / 2n"),
     .faults = {{"with-projections",
                 "the four projections of the layer, 4 n d^2, are counted too"}}},
    {29, sequential_steps, "sequential steps: O(n) in a recurrent layer, O(1) in the others",
     .slides = {"H: Complexity"},
     .quantity = "largest |exponent of the longest chain of ops - the table's|",
     AT_MOST(0.05, "the chain is a constant, or some constant times n plus a few ops at its ends"),
     .faults = {{"recurrent", "a recurrent layer instead of attention"}},
     HOLDS_POISONED("counts operations on the tape; no number is read")},
    {29, crossover,
     "attention without its projections takes fewer multiply-adds than a recurrent layer while n < "
     "d",
     .slides = {"H: Complexity"}, .quantity = "n / d where 2 n^2 d reaches 2 n d^2, as counted",
     EXACTLY(1, "two products of n d each: q.k and a v against W x and U h"),
     .faults = {{"four-gates", "an LSTM, whose four gates take 8 n d^2"},
                {"with-projections", "attention with its four projections"}}},
    {0},
};

static bool draw_complexity(const Sketch *s)
{
    enum { N = 6, WIDTH = 64 };
    double x[N], y[LAYERS][N];
    double at[] = {log2(WIDTH), log2(WIDTH)}, range[] = {1e3, 1e7};
    PlotSeries series[LAYERS + 1] = {[LAYERS] = {"n = d", at, range, 2}};
    for (int i = 0; i < N; i++) {
        Size size = {.n = 8 << i, .d = WIDTH, .taps = 3};
        x[i] = log2(size.n);
        for (Layer l = ATTENTION; l < LAYERS; l++)
            y[l][i] = cost_of(l, size, (Variant){0}).multiply_adds;
    }
    for (Layer l = ATTENTION; l < LAYERS; l++)
        series[l] = (PlotSeries){names[l], x, y[l], N};
    const PlotCurves curves = {
        .series = series,
        .count = LAYERS + 1,
        .title = sketch_title(s, "Multiply-adds of a layer, counted, at d = 64 and k = r = 3"),
        .x_name = "log\xe2\x82\x82 of the tokens n",
        .y_name = "multiply-adds",
        .log_y = true,
        .y_low = 1e3,
        .y_high = 1e7};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure complexity_figures[] = {
    {29, "complexity", draw_complexity,
     .what = "counted multiply-adds by n: attention and the recurrent layer meet at n = d"},
    {0},
};
