/* feedforward.c: two layers for each token alone, and what the non-linearity between them is for
 * (row 34).
 *
 *   ff(x) = W_2 act(W_1 x + b_1) + b_2    J "Feedforward Network", B "Transformer-Based LM: Context
 *                                         Extractor" (MLP), Z "Transformer layer" (MLP), H
 *
 * Additivity: f is affine just where f(x + y) - f(x) - f(y) + f(0) = 0 for all x and y. J asks
 * whether there is any non-linearity in the lower part of a block, the attention: in its weights
 * A(x), and in its LayerNorm. */
#include "lectures/05-block/block.h"

enum { TOKENS = 6, WIDTH = 16, HEADS = 2 };

/* What is tested: the feed-forward layer or the attention of one block. */
typedef enum {
    FF_NONE,
    FF_RELU,
    FF_GELU,
    FF_TANH,
    ATTENTION_FIXED, /* weights A of another input        */
    NO_SOFTMAX,      /* Q K^T V                           */
    ATTENTION,
    WITH_NORM, /* attention of LayerNorm(x), as in a block */
    TESTED
} Tested;

typedef struct {
    FeedForward ff;
    MultiHeadAttention attn;
    Tensor *weights; /* A (1, H, T, T), for ATTENTION_FIXED */
} Lower;

static bool lower_init(Lower *m, Params *p)
{
    *m = (Lower){0};
    return nn_feedforward_init(&m->ff, p, "ff", WIDTH, 4 * WIDTH, ACTIVATION_RELU, 0) &&
           nn_attention_init(&m->attn, p, "attn", WIDTH, HEADS, 0);
}

/* x W for the query's (part 0), key's or value's matrix, as heads (1, H, T, d). */
static Tensor *project(const Lower *m, Tensor *x, int part)
{
    Tensor *W =
        ag_slice(tape_param(x->tape, m->attn.in_proj_weight), 0, part * WIDTH, (part + 1) * WIDTH);
    Tensor *y = ag_reshape(ag_linear(x, W, NULL), shape4(1, TOKENS, HEADS, WIDTH / HEADS));
    return ag_transpose(y, 1, 2);
}

static Tensor *join_heads(const Lower *m, Tensor *heads)
{
    return nn_linear(&m->attn.out_proj,
                     ag_reshape(ag_transpose(heads, 1, 2), shape3(1, TOKENS, WIDTH)));
}

/* Attention whose weights do not depend on x: A (x W_v) W_o. */
static Tensor *with_fixed_weights(const Lower *m, Tensor *x)
{
    return join_heads(m, ag_matmul(m->weights, project(m, x, 2)));
}

/* The scores themselves as weights: Q K^T V / T, a polynomial of degree three in x. (W_o's bias is
 * 0 at first.) */
static Tensor *without_softmax(const Lower *m, Tensor *x)
{
    Tensor *scores = ag_matmul(project(m, x, 0), ag_transpose(project(m, x, 1), 2, 3));
    return join_heads(m, ag_matmul(ag_scale(scores, (real)(1.0 / TOKENS)), project(m, x, 2)));
}

static Tensor *two_layers(const FeedForward *ff, Tested f, Tensor *x)
{
    Tensor *h = nn_linear(&ff->up, x); /* C -> 4C */
    h = f == FF_RELU ? ag_relu(h) : f == FF_GELU ? ag_gelu(h) : f == FF_TANH ? ag_tanh(h) : h;
    return nn_linear(&ff->down, h); /* 4C -> C */
}

static Tensor *apply(const Lower *m, Tested f, Tensor *x)
{
    if (f == WITH_NORM) {
        Tensor *one = tape_full(x->tape, 1, shape1(WIDTH)),
               *zero = tape_full(x->tape, 0, shape1(WIDTH));
        return nn_attention(&m->attn, ag_layernorm(x, one, zero, (real)1e-5), (Mask){0});
    }
    if (f == NO_SOFTMAX)
        return without_softmax(m, x);
    if (f == ATTENTION)
        return nn_attention(&m->attn, x, (Mask){0});
    if (f == ATTENTION_FIXED)
        return with_fixed_weights(m, x);
    return two_layers(&m->ff, f, x);
}

/* max |f(x + y) - f(x) - f(y) + f(0)| over max |f(x)|: how far f is from affine. */
static double defect(uint64_t seed, Tested f)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 34};
    Lower m;
    lower_init(&m, p);
    Shape s = shape3(1, TOKENS, WIDTH);
    Tensor *x = values_normal(tape, &rng, s, 2), *y = values_normal(tape, &rng, s, 2);
    tape->keep_maps = true;
    apply(&m, ATTENTION, x);
    m.weights = tape_find(tape, "attn.A");
    Tensor *fx = apply(&m, f, x), *fy = apply(&m, f, y);
    Tensor *both = ag_add(apply(&m, f, ag_add(x, y)), apply(&m, f, tape_full(tape, 0, s)));
    double off = values_difference(both, ag_add(fx, fy)) / values_largest(fx);
    tape_free(tape);
    params_free(p);
    return off;
}

static double two_linear(Trial *t)
{
    double off = defect(t->seed, broken(t, "relu") ? FF_RELU : FF_NONE);
    explain(t, "W_2 (W_1 x + b_1) + b_2: the defect is %.2g of the output", off);
    return off;
}

static double lower_part(Trial *t)
{
    static const char *const names[] = {"A of another input", "no softmax, Q K^T V", "softmax",
                                        "LayerNorm, then softmax"};
    for (int i = 0; i < 4; i++)
        explain(t, "attention, %-24s the defect is %.2g", names[i],
                defect(t->seed, (Tested)(ATTENTION_FIXED + i)));
    return defect(t->seed, broken(t, "own-weights") ? ATTENTION : ATTENTION_FIXED);
}

/* dy_t / dx_s for s other than t, for all of them: backward from the first token's output. */
static double each_alone(Trial *t)
{
    Params *p = trial_params(t);
    Tape *tape = trial_tape(t);
    Lower m;
    double others = (double)NAN;
    lower_init(&m, p);
    real upstream[TOKENS * WIDTH] = {0};
    Tensor *x = values_leaf(tape, trial_rng(t, 341), shape3(1, TOKENS, WIDTH), 1);
    for (int c = 0; c < WIDTH; c++)
        upstream[c] = 1;
    if (ag_backward_from(apply(&m, broken(t, "attention") ? ATTENTION : FF_GELU, x), upstream)) {
        Tensor *grad = tape_input(tape, x->grad, x->shape);
        double own = values_largest(ag_slice(grad, 1, 0, 1));
        others = own > 0 ? values_largest(ag_slice(grad, 1, 1, TOKENS)) : (double)NAN;
        explain(t, "max |dy_1/dx_1| = %.3f, max |dy_1/dx_s| = %.3g for s > 1", own, others);
    }
    return others;
}

/* ---- capacity -------------------------------------------------------------------------------- */

/* Trains 2 -> 8 -> 2 on exclusive or; how many of the four answers are right. */
static double exclusive_or(Trial *t)
{
    static const real x[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const int label[] = {0, 1, 1, 0};
    Params *p = trial_params(t);
    Tape *tape = trial_tape(t);
    Linear up, down;
    Adam adam = {0};
    int right = 0;
    bool ok = nn_linear_init(&up, p, "up", 2, 8, true) &&
              nn_linear_init(&down, p, "down", 8, 2, true) && adam_init(&adam, p, 0.05);
    for (int step = 0; ok && step < 300; step++) {
        tape_reset(tape);
        Tensor *h = nn_linear(&up, tape_input(tape, x, shape2(4, 2)));
        Tensor *y = nn_linear(&down, broken(t, "no-activation") ? h : ag_tanh(h));
        Tensor *loss = ag_cross_entropy(y, tape_ids(tape, label, shape1(4)));
        right = 0;
        for (int i = 0; i < 4; i++)
            right += (y->data[2 * i + 1] > y->data[2 * i]) == label[i];
        if (step % 100 == 99)
            explain(t, "step %d: loss %.4f, %d of 4 right", step + 1, (double)tensor_item(loss),
                    right);
        ok = ag_backward(loss) && adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok ? right : (double)NAN;
}

const Claim feedforward_claims[] = {
    {34, two_linear, "two linear layers with nothing between them are one linear layer",
     .slides = {"J: Feedforward Network"}, .quantity = "|f(x+y) - f(x) - f(y) + f(0)| over |f(x)|",
     AT_MOST(1e-5, "rounding of sums of 64 products"),
     .faults = {{"relu", "a ReLU stands between them"}}},
    {34, lower_part,
     "attention is linear in the values for given weights A, and non-linear through A(x)",
     .slides = {"J: Feedforward Network"},
     .quantity = "|f(x+y) - f(x) - f(y) + f(0)| over |f(x)|, A given",
     AT_MOST(1e-5, "A (X W_v) W_o is a product of matrices"),
     .faults = {{"own-weights", "each input makes its own A"}}},
    {34, each_alone, "the feed-forward layer works on each token alone",
     .slides = {"Z: Transformer Layer", "B: Transformer-Based LM: Context Extractor",
                "H: Multi-head Self-Attention + FFN"},
     .quantity = "max |dy_1/dx_s|, s > 1; NaN if dy_1/dx_1 is 0 too",
     EXACTLY(0, "no product has numbers of two tokens"),
     .faults = {{"attention", "attention instead of it"}}},
    {34, exclusive_or, "exclusive or is learned with a non-linearity, and never without",
     .slides = {"B: Transformer-Based LM: Context Extractor"},
     .quantity = "right answers of 4 after 300 steps",
     EXACTLY(4, "no line has (0,0), (1,1) on one side and (0,1), (1,0) on the other: at most 3"),
     .faults = {{"no-activation", "nothing stands between the layers"}}},
    {0},
};

static bool draw_additivity(const Sketch *s)
{
    static const char *const names[TESTED] = {"two linear layers",  "feed-forward, ReLU",
                                              "feed-forward, GELU", "feed-forward, tanh",
                                              "attention, A given", "attention, no softmax",
                                              "attention, softmax", "attention of LayerNorm"};
    double values[TESTED];
    for (int i = 0; i < TESTED; i++)
        values[i] = defect(s->seed, (Tested)i);
    const PlotBars bars = {.names = names, .values = values, .count = TESTED};
    return plot_bars(
        s->stem, &bars, 1,
        sketch_title(
            s, "How far from linear: |f(x+y) \xe2\x88\x92 f(x) \xe2\x88\x92 f(y) + f(0)| / |f(x)|"),
        s->formats);
}

const Figure feedforward_figures[] = {
    {34, "additivity", draw_additivity,
     .what = "which parts of a block are linear: the layer without its activation, and attention "
             "under given weights"},
    {0},
};
