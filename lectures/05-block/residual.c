/* residual.c: the path past a layer (row 31).
 *
 *   y = x + f(x),   dL/dx = dL/dy (I + df/dx)      V "Residual Connection & Layer Normalization", H "Transformer
 *                                                  Encoder", J "Residual Connections, Dropout, and Normalization"
 *
 * The I carries the gradient past f, whatever f is. Layers here are feed-forward ones, C -> 4C -> C with a tanh, with
 * PyTorch's first weights: each alone takes a good part of the gradient away. */
#include "lectures/05-block/block.h"

enum { WIDTH = 32, TOKENS = 8, DEPTHS = 6, DEEPEST = 48 };
static const int depths[DEPTHS] = {1, 3, 6, 12, 24, 48};

typedef struct {
    FeedForward layer[DEEPEST];
} Layers;

static bool layers_init(Layers *s, Params *p)
{
    bool ok = true;
    for (int l = 0; ok && l < DEEPEST; l++)
        ok = nn_feedforward_init(&s->layer[l], p, params_format(p, "layers.%d", l), WIDTH,
                                 4 * WIDTH, ACTIVATION_TANH, 0);
    return ok;
}

static Tensor *forward(const Layers *s, Tensor *x, int depth, bool residual)
{
    for (int l = 0; l < depth; l++) {
        Tensor *f = nn_feedforward(&s->layer[l], x);
        x = residual ? ag_add(x, f) : f;
    }
    return x;
}

static double length_of(const real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

/* |dL/dx| below `depth` layers over |dL/dy| above them, for a random dL/dy. */
static double gradient_left(uint64_t seed, int depth, bool residual)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 31};
    static Layers s;
    double ratio = (double)NAN;
    if (p && tape && layers_init(&s, p)) {
        real upstream[TOKENS * WIDTH];
        for (int i = 0; i < TOKENS * WIDTH; i++)
            upstream[i] = (real)rng_normal(&rng);
        Tensor *x = values_leaf(tape, &rng, shape2(TOKENS, WIDTH), 1);
        if (ag_backward_from(forward(&s, x, depth, residual), upstream))
            ratio = length_of(x->grad, TOKENS * WIDTH) / length_of(upstream, TOKENS * WIDTH);
    }
    tape_free(tape);
    params_free(p);
    return ratio;
}

static double with_path(Trial *t)
{
    double least = INFINITY;
    for (int i = 0; i < DEPTHS; i++) {
        double left = gradient_left(t->seed, depths[i], !broken(t, "no-residual"));
        explain(t, "%2d layers: %.3g of the gradient's length arrives", depths[i], left);
        least = values_least(least, left);
    }
    return least;
}

const Claim claim_residual_depth = {
    .row = 31,
    .statement = "past x + f(x) the gradient arrives whole, at any depth",
    .slides = {"V: Residual Connection & Layer Normalization", "H: Transformer Encoder",
               "J: Residual Connections, Dropout, and Normalization"},
    .quantity = "least |dL/dx| / |dL/dy| for 1 to 48 layers",
    AT_LEAST(0.9),
    .why = "the identity alone carries 1; what random layers add is as often for it as against it",
    .faults = {{"no-residual", "each layer is f(x) alone"}},
    .measure = with_path,
};

static double without_path(Trial *t)
{
    double x[DEPTHS], y[DEPTHS];
    for (int i = 0; i < DEPTHS; i++) {
        y[i] = log(gradient_left(t->seed, depths[i], broken(t, "residual")));
        x[i] = depths[i];
        explain(t, "%2d layers: %.3g of the gradient's length arrives", depths[i], exp(y[i]));
    }
    return exp((y[DEPTHS - 1] - y[0]) / (x[DEPTHS - 1] - x[0]));
}

const Claim claim_plain_depth = {
    .row = 31,
    .statement = "without it each layer takes its part, and little is left of many",
    .slides = {"V: Residual Connection & Layer Normalization"},
    .quantity = "the factor by which one layer shrinks the gradient, from 48",
    AT_MOST(0.5),
    .why = "weights of variance 1/(3 n) and a tanh keep less than a third; 0.5^48 is 4e-15",
    .faults = {{"residual", "each layer is x + f(x)"}},
    .measure = without_path,
};

/* A branch that gives nothing: the gradient passes without a change of a bit. */
static double identity_path(Trial *t)
{
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 311};
    TransformerBlock b;
    BlockConfig c = {.channels = WIDTH, .heads = 4, .post_norm = broken(t, "post-norm")};
    double off = (double)NAN;
    if (p && tape && nn_transformer_block_init(&b, p, "block", c)) {
        Tensor *silent[] = {b.attn.out_proj.weight, b.attn.out_proj.bias, b.ff.down.weight,
                            b.ff.down.bias};
        for (int i = 0; i < 4; i++)
            for (int64_t k = 0; k < tensor_size(silent[i]); k++)
                silent[i]->data[k] = 0;
        Tensor *x = values_leaf(tape, &rng, shape3(1, TOKENS, WIDTH), 1);
        Tensor *g = values_normal(tape, &rng, shape3(1, TOKENS, WIDTH), 1);
        Tensor *y = nn_transformer_block(&b, x, (Mask){0});
        double forward = values_difference(y, x);
        if (ag_backward_from(y, g->data))
            off = values_worst(forward, values_difference(tape_input(tape, x->grad, x->shape), g));
        explain(t, "max |y - x| = %.3g; max |dL/dx - dL/dy| = %.3g, of gradients up to %.2f",
                forward, off, values_largest(g));
    }
    tape_free(tape);
    params_free(p);
    return off;
}

const Claim claim_residual_identity = {
    .row = 31,
    .statement = "where its branches give nothing, a pre-norm block is the identity",
    .slides = {"V: Residual Connection & Layer Normalization",
               "J: Residual Connections, Dropout, and Normalization"},
    .quantity = "max |y - x|, |dL/dx - dL/dy| with W_o = W_2 = 0",
    EXACTLY(0),
    .why = "x + 0, and g + 0: no bit changes",
    .faults = {{"post-norm", "the residual path itself goes through the norms"}},
    .measure = identity_path,
};

static bool draw_residual(const Sketch *s)
{
    double x[DEPTHS], with[DEPTHS], without[DEPTHS];
    for (int i = 0; i < DEPTHS; i++) {
        x[i] = depths[i];
        with[i] = gradient_left(s->seed, depths[i], true);
        without[i] = gradient_left(s->seed, depths[i], false);
    }
    const PlotSeries series[] = {{"x + f(x)", x, with, DEPTHS}, {"f(x)", x, without, DEPTHS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title =
                                   sketch_title(s,
                                                "What is left of the gradient below many layers"),
                               .x_name = "layers",
                               .y_name = "|dL/dx| / |dL/dy|",
                               .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_residual = {
    .row = 31,
    .name = "residual",
    .what = "with the residual path the gradient arrives below 48 layers, without it vanishes",
    .draw = draw_residual,
};
