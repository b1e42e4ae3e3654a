/* residual.c: the path past a layer (row 31).
 *
 *   y = x + f(x),  dL/dx = dL/dy (I + df/dx)  V "Residual Connection & Layer Normalization", H "Transformer
 *                                             Encoder", J "Residual Connections, Dropout, and Normalization"
 *
 * Layers here are feed-forward ones, C -> 4C -> C with a tanh. What one of them does to a gradient
 * g, for independent weights of mean 0 and of variance v_1 (C -> 4C) and v_2 (4C -> C), while tanh'
 * = 1:
 *   1  |W_2^T g|^2 = 4C v_2 |g|^2          in expectation: 4C numbers, each of variance v_2 |g|^2
 *   2  |W_1^T h|^2 = C v_1 |h|^2           the same once more
 *   3  |df/dx^T g|^2 = f^2 |g|^2           f^2 = 4 C^2 v_1 v_2
 *   4  |g + df/dx^T g|^2 = (1 + f^2) |g|^2 the cross term has mean 0
 *   5  after L layers: f^(2L) without the path, (1 + f^2)^L with it */
#include "lectures/05-block/block.h"

enum { WIDTH = 32, TOKENS = 8, DEPTHS = 6, DEEPEST = 48, SHALLOW = 4, DRAWS = 60 };
static const int depths[DEPTHS] = {1, 3, 6, 12, 24, 48};

/* Three ways to draw the weights of n inputs and m outputs: their variances, and f^2. */
typedef enum { PYTORCH, XAVIER, UNIT_GAIN, WAYS } Way;
static const char *const way_names[WAYS] = {"PyTorch's, 1 / (3 n)", "Xavier's, 2 / (n + m)",
                                            "unit gain, 1 / n"};

static double variance_of(Way way, double in, double out)
{
    return way == PYTORCH ? 1 / (3 * in) : way == XAVIER ? 2 / (in + out) : 1 / in;
}

static double gain_squared(Way way)
{
    double v1 = variance_of(way, WIDTH, 4 * WIDTH), v2 = variance_of(way, 4 * WIDTH, WIDTH);
    return WIDTH * v1 * (4 * WIDTH) * v2; /* lines 1 to 3 */
}

static void draw_weights(Tensor *w, double variance, Rng *rng)
{
    for (int64_t i = 0; i < tensor_size(w); i++)
        w->data[i] = (real)(sqrt(variance) * rng_normal(rng));
}

static bool layers_init(FeedForward *layer, Params *p, int depth, Way way)
{
    Rng rng = {.seed = p->seed, .stream = 312};
    bool ok = true;
    for (int l = 0; ok && l < depth; l++) {
        FeedForward *f = &layer[l];
        ok = nn_feedforward_init(f, p, params_path(p, "layers.%d", l), WIDTH, 4 * WIDTH,
                                 ACTIVATION_TANH, 0);
        if (!ok)
            break;
        /* UNIT_GAIN: n v = 1 of each matrix, so that its transpose keeps a gradient's length. */
        draw_weights(f->up.weight, variance_of(way, WIDTH, 4 * WIDTH), &rng);
        draw_weights(f->down.weight, variance_of(way, 4 * WIDTH, WIDTH), &rng);
        draw_weights(f->up.bias, 0, &rng);
        draw_weights(f->down.bias, 0, &rng);
    }
    return ok;
}

static Tensor *forward(const FeedForward *layer, Tensor *x, int depth, bool residual)
{
    for (int l = 0; l < depth; l++) {
        Tensor *f = nn_feedforward(&layer[l], x);
        x = residual ? ag_add(x, f) : f;
    }
    return x;
}

static double sum_of_squares(const real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

/* A stack, and how its gradient is measured: `size` is the deviation of the tokens that go in. */
typedef struct {
    Way way;
    int depth;
    bool residual;
    double size;
} Setting;

/* |dL/dx|^2 below the layers over |dL/dy|^2 above them, for a random dL/dy. */
static double gradient_left(uint64_t seed, Setting c)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 31};
    static FeedForward layer[DEEPEST];
    double ratio = (double)NAN;
    if (p && tape && layers_init(layer, p, c.depth, c.way)) {
        real upstream[TOKENS * WIDTH];
        for (int i = 0; i < TOKENS * WIDTH; i++)
            upstream[i] = (real)rng_normal(&rng);
        Tensor *x = values_leaf(tape, &rng, shape2(TOKENS, WIDTH), c.size);
        Tensor *y = forward(layer, x, c.depth, c.residual);
        if (ag_backward_from(y, upstream) && values_largest(y) > 0)
            ratio =
                sum_of_squares(x->grad, TOKENS * WIDTH) / sum_of_squares(upstream, TOKENS * WIDTH);
    }
    tape_free(tape);
    params_free(p);
    return ratio;
}

double gain_of_one_layer(Trial *t)
{
    double mean = 0;
    for (int d = 0; d < 100; d++)
        mean +=
            sqrt(gradient_left(t->seed * 1000 + (uint64_t)d, (Setting){PYTORCH, 1, false, 1e-3}));
    return mean / 100;
}

/* How far the mean of many draws is from what line 5 says, in standard errors, the largest over the
 * three ways. */
static double gain_error(Trial *t, bool residual, double size, bool fault)
{
    double worst = 0;
    for (Way way = PYTORCH; way < WAYS; way++) {
        double f2 = gain_squared(way), expected = pow(residual ? 1 + f2 : f2, SHALLOW);
        double mean = 0, square = 0;
        for (int d = 0; d < DRAWS; d++) {
            Setting c = {way, SHALLOW, fault ? !residual : residual, size};
            double left = gradient_left(t->seed * 1000 + (uint64_t)d, c);
            mean += left / DRAWS;
            square += left * left / DRAWS;
        }
        double error = sqrt((square - mean * mean) / DRAWS);
        explain(t, "%-22s f = %.3f: %d layers leave %.4g +- %.2g of |g|^2, expected %.4g",
                way_names[way], sqrt(f2), SHALLOW, mean, error, expected);
        worst = values_worst(worst, fabs(mean - expected) / error);
    }
    return worst;
}

static double layer_gain(Trial *t)
{
    double size = broken(t, "saturated") ? 3 : 1e-3;
    return values_worst(gain_error(t, false, size, broken(t, "residual")),
                        gain_error(t, true, size, broken(t, "no-residual")));
}

/* ---- attention alone makes all tokens alike -------------------------------------------------- */

const Claim residual_claims[] = {
    {31, layer_gain,
     "in the mean over first weights a layer scales |g|^2 by f^2 without the path, by 1 + f^2 "
     "with it",
     .slides = {"V: Residual Connection & Layer Normalization", "H: Transformer Encoder",
                "J: Residual Connections, Dropout, and Normalization"},
     .quantity = "largest |mean - line 5| in standard errors, three ways to draw weights, 4 layers",
     AT_MOST(5, "expectations over 60 draws of weights of mean 0; 5 standard errors, since their "
                "tails are a little heavy. Single weights may shrink it: f(x) = -x leaves nothing"),
     .faults = {{"residual", "each layer of the first is x + f(x)"},
                {"no-residual", "each layer of the second is f(x) alone"},
                {"saturated", "tokens so large that tanh is flat"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_residual(const Sketch *s)
{
    double x[DEPTHS], y[WAYS + 1][DEPTHS];
    PlotSeries series[WAYS + 1];
    static const char *const names[WAYS + 1] = {"f(x), PyTorch's first weights", "f(x), Xavier's",
                                                "f(x), unit gain", "x + f(x), PyTorch's"};
    for (int k = 0; k <= WAYS; k++) {
        for (int i = 0; i < DEPTHS; i++) {
            Setting c = {k < WAYS ? (Way)k : PYTORCH, depths[i], k == WAYS, 1};
            x[i] = depths[i];
            y[k][i] = sqrt(gradient_left(s->seed, c));
        }
        series[k] = (PlotSeries){names[k], x, y[k], DEPTHS};
    }
    return SKETCH_CURVES(s, "What is left of a gradient below many layers", series,
                         .x_name = "layers", .y_name = "|dL/dx| / |dL/dy|", .log_y = true);
}

static bool compute_residual(const double *value, const char *text)
{
    const Way way = (Way)value[0];
    double x[DEPTHS], y[DEPTHS], last[2] = {0};
    (void)text;
    computed_axes("layers", "|dL/dx| / |dL/dy|", true);
    for (int path = 0; path < 2; path++) {
        for (int i = 0; i < DEPTHS; i++) {
            const Setting c = {way, depths[i], path, value[1]};
            x[i] = depths[i];
            y[i] = last[path] = sqrt(gradient_left((uint64_t)value[2], c));
        }
        computed_line(path ? "x + f(x)" : "f(x)", DEPTHS, x, y);
    }
    computed_fact("First weights: %s. Below %d layers, 10^%.1f of the gradient is left without the "
                  "path and 10^%.1f with it; where tanh' = 1, one expects 10^%.1f and 10^%.1f.",
                  way_names[way], DEEPEST, log10(last[0]), log10(last[1]),
                  DEEPEST * log10(gain_squared(way)) / 2,
                  DEEPEST * log10(1 + gain_squared(way)) / 2);
    return true;
}

const ComputedFigure residual_computed = {
    .name = "residual",
    .title = "What is left of a gradient below many layers",
    .about =
        "Feed-forward layers with and without the path past them. First weights: 0 PyTorch's, 1 "
        "Xavier's, 2 unit gain. Large tokens flatten tanh.",
    .control = {{"first weights", 0, 2, 1, 0},
                {"size of the tokens", 0.1, 5, 0.1, 1},
                {"seed", 1, 20, 1, 1}},
    .compute = compute_residual};

const Figure residual_figures[] = {
    {31, "residual", draw_residual,
     .what = "without the path a gradient vanishes as fast as the initial weights say; with it, it "
             "does not",
     .computed = &residual_computed},
    {0},
};
