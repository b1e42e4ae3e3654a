/* layernorm.c: each token by itself to mean 0 and variance 1 (row 32).
 *
 *   mu, sigma over the C channels of one token;  y = gamma (x - mu) / sqrt(sigma^2 + epsilon) + beta
 *                                   V "Residual Connection & Layer Normalization", J "Recall: Layer Normalization"
 *
 * J: x is (N, L, C), mu and sigma (N, L, 1), gamma and beta (1, 1, C). V's slide stops at mu and
 * sigma: without epsilon, gamma and beta. */
#include "lectures/05-block/block.h"

enum { BATCH = 3, TOKENS = 5, WIDTH = 64 };
#define EPSILON 1e-5

/* What BatchNorm would do: mean and variance of each channel, over batch and length. */
static Tensor *over_the_batch(Tensor *x)
{
    Tensor *rows = ag_reshape(x, shape2(-1, shape_last(x->shape)));
    Tensor *off = ag_sub(rows, ag_mean_axis(rows, 0, true));
    Tensor *variance = ag_mean_axis(ag_mul(off, off), 0, true);
    Tensor *sigma = ag_sqrt(ag_add(variance, tape_full(x->tape, (real)EPSILON, shape2(1, 1))));
    return ag_reshape(ag_div(off, sigma), x->shape);
}

/* A norm whose gamma is 1 and beta 0, or the batch's. */
static Tensor *normalised(Tensor *x, bool by_batch, double epsilon)
{
    int64_t C = shape_last(x->shape);
    return by_batch ? over_the_batch(x)
                    : ag_layernorm(x, tape_full(x->tape, 1, shape1(C)),
                                   tape_full(x->tape, 0, shape1(C)), (real)epsilon);
}

/* Tokens of different size and offset. */
static Tensor *tokens(Tape *tape, Rng *rng, int batch)
{
    Tensor *x = values_normal(tape, rng, shape3(batch, TOKENS, WIDTH), 1);
    for (int64_t i = 0; i < tensor_size(x); i++) {
        int64_t token = i / WIDTH;
        x->data[i] = x->data[i] * (real)(1 + token % 4) + (real)(token % 3) - 1;
    }
    return x;
}

static double token_statistics(Trial *t)
{
    Tensor *x = tokens(trial_tape(t), trial_rng(t, 32), BATCH);
    Tensor *y = normalised(x, broken(t, "over-batch"), EPSILON);
    double worst = 0;
    for (int i = 0; i < BATCH * TOKENS; i++) {
        double mean = 0, variance = 0, before = 0;
        for (int c = 0; c < WIDTH; c++) {
            mean += (double)y->data[i * WIDTH + c] / WIDTH;
            before += (double)x->data[i * WIDTH + c] / WIDTH;
        }
        for (int c = 0; c < WIDTH; c++) {
            double off = (double)y->data[i * WIDTH + c] - mean;
            variance += off * off / WIDTH;
        }
        if (i < 4)
            explain(t, "token %d: mean %.3f before; mean %.2g, variance %.6f after", i, before,
                    mean, variance);
        worst = values_worst(worst, values_worst(fabs(mean), fabs(variance - 1)));
    }
    return worst;
}

static double independent(Trial *t)
{
    bool by_batch = broken(t, "over-batch");
    Tensor *x = tokens(trial_tape(t), trial_rng(t, 321), BATCH);
    Tensor *all = normalised(x, by_batch, EPSILON);
    Tensor *first = ag_slice(x, 0, 0, 1);
    double batch = values_difference(normalised(first, by_batch, EPSILON), ag_slice(all, 0, 0, 1));
    Tensor *shorter = normalised(ag_slice(x, 1, 0, 2), by_batch, EPSILON);
    double length = values_difference(shorter, ag_slice(all, 1, 0, 2));
    explain(t, "a sequence alone or with two others: differs by %.3g", batch);
    explain(t, "its first 2 tokens alone or before 3 others: differ by %.3g", length);
    return values_worst(batch, length);
}

/* LN(s x) = LN(x) for s > 0, while sigma^2 is large beside epsilon: V's "consistent scaling". */
static double scale_free(Trial *t)
{
    Tensor *x = tokens(trial_tape(t), trial_rng(t, 324), BATCH), *large = ag_scale(x, 1000);
    double off = broken(t, "no-norm") ? values_difference(large, x)
                                      : values_difference(normalised(large, false, EPSILON),
                                                          normalised(x, false, EPSILON));
    explain(t, "tokens a thousand times as large: max |LN(1000 x) - LN(x)| = %.2g", off);
    return off;
}

/* The gradient through LayerNorm, by intermediate quantities, for one token; means over its C
 * channels.
 *   1  h_i = g_i gamma_i                                dL/dx^, since y = gamma x^ + beta
 *   2  a = mean h                                       mu takes off: every x_i moves it by 1 / C
 *   3  b = mean (h x^)                                  sigma takes off: x_i moves it by x^_i / C
 *   4  dL/dx_i = (h_i - a - x^_i b) / sigma
 *   5  its mean over the channels, and that of its product with x^, are 0: no direction that LN removes is asked for */
static double backward_rule(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 325);
    Tensor *x = values_leaf(tape, rng, shape2(TOKENS, WIDTH), 2);
    Tensor *gamma = values_normal(tape, rng, shape1(WIDTH), 1),
           *beta = tape_full(tape, 0, shape1(WIDTH));
    Tensor *g = values_normal(tape, rng, x->shape, 1), *hat = normalised(x, false, EPSILON);
    double worst =
        ag_backward_from(ag_layernorm(x, gamma, beta, (real)EPSILON), g->data) ? 0 : (double)NAN;
    for (int i = 0; i < TOKENS; i++) {
        double mean = 0, variance = EPSILON, a = 0, b = 0, along = 0;
        const real *xi = x->data + i * WIDTH, *gi = g->data + i * WIDTH,
                   *hi = hat->data + i * WIDTH;
        for (int c = 0; c < WIDTH; c++)
            mean += (double)xi[c] / WIDTH;
        for (int c = 0; c < WIDTH; c++) {
            double h = (double)gi[c] * (double)gamma->data[c];
            variance += ((double)xi[c] - mean) * ((double)xi[c] - mean) / WIDTH;
            a += h / WIDTH;
            b += broken(t, "sigma-constant") ? 0 : h * (double)hi[c] / WIDTH;
        }
        for (int c = 0; c < WIDTH; c++) {
            double h = (double)gi[c] * (double)gamma->data[c], got = (double)x->grad[i * WIDTH + c];
            worst = values_worst(worst, fabs((h - a - (double)hi[c] * b) / sqrt(variance) - got));
            along += got * (double)hi[c] / WIDTH;
        }
        worst = values_worst(worst, fabs(along));
        explain(t, "token %d: a = %7.4f, b = %7.4f, sigma = %.4f; mean of dL/dx x^ is %.2g", i + 1,
                a, b, sqrt(variance), along);
    }
    return worst;
}

const Claim layernorm_claims[] = {
    {32, token_statistics, "LayerNorm leaves each token with mean 0 and variance 1",
     .slides = {"V: Residual Connection & Layer Normalization", "J: Recall: Layer Normalization"},
     .quantity = "the worst of |mean| and |variance - 1| over 15 tokens",
     AT_MOST(3e-5, "the variance is s / (s + epsilon), epsilon 1e-5, s from about 0.7 on"),
     .faults = {{"over-batch", "mean and variance over the batch, for each channel"}}},
    {32, independent, "no token's norm depends on another, of its sequence or of the batch",
     .slides = {"J: Recall: Layer Normalization"},
     .quantity = "max difference, alone against in company",
     EXACTLY(0, "the same numbers go into the same sums"),
     .faults = {{"over-batch", "mean and variance over the batch, for each channel"}}},
    {32, scale_free, "LayerNorm does not depend on a token's scale: LN(1000 x) = LN(x)",
     .slides = {"V: Residual Connection & Layer Normalization"},
     .quantity = "max |LN(1000 x) - LN(x)|, 15 tokens",
     AT_MOST(1e-4, "epsilon 1e-5 beside a variance of 0.5 or more changes a number of size 4 by "
                   "4e-5"),
     .faults = {{"no-norm", "the tokens as they are"}}},
    {32, backward_rule, "dL/dx = (h - mean h - x^ mean(h x^)) / sigma, with h = gamma dL/dy",
     .slides = {"J: Recall: Layer Normalization"},
     .quantity = "max |rule - ag_layernorm's gradient|, and the mean of dL/dx x^",
     AT_MOST(1e-4, "the same formula in double and in float: gradients of size 5, rounded by some "
                   "1e-6"),
     .faults = {{"sigma-constant", "sigma is taken for a constant: b = 0"}}},
    {0},
};

/* "token 1: mean -0.93, deviation 1.1" for each row of a map. */
static void describe(const Tensor *x, char text[TOKENS][64], const char *names[TOKENS + 1])
{
    int64_t n = shape_last(x->shape);
    for (int i = 0; i < TOKENS; i++) {
        double mean = 0, square = 0;
        for (int64_t c = 0; c < n; c++) {
            double v = (double)x->data[i * n + c];
            mean += v / (double)n;
            square += v * v / (double)n;
        }
        double off = fabs(mean) < 0.005 ? 0 : mean;
        snprintf(text[i], sizeof text[i], "token %d: \xce\xbc %.2f, \xcf\x83 %.2f", i + 1, off,
                 sqrt(square - mean * mean));
        names[i] = text[i];
    }
    names[TOKENS] = NULL;
}

static bool draw_layernorm(const Sketch *s)
{
    enum { SHOWN = 16 };
    Tape *tape = tape_new(s->seed);
    Rng rng = {.seed = s->seed, .stream = 32};
    static char before[TOKENS][64], after[TOKENS][64];
    static const char *before_names[TOKENS + 1], *after_names[TOKENS + 1];
    Tensor *x = ag_slice(tokens(tape, &rng, 1), 2, 0, SHOWN);
    x = ag_reshape(ag_copy(x), shape2(TOKENS, SHOWN));
    Tensor *y = normalised(x, false, EPSILON);
    describe(x, before, before_names);
    describe(y, after, after_names);
    PlotScale scale = {.diverging = true, .high = 10, .name = "value"};
    PlotHeatmap map = {.row_name = "", .column_name = "channel", .scale = scale};
    PlotHeatmap maps[2] = {map, map};
    maps[0].map = x, maps[0].rows = before_names, maps[0].title = "before";
    maps[1].map = y, maps[1].rows = after_names, maps[1].title = "after";
    bool ok =
        plot_heatmaps(s->stem, maps, 2, sketch_title(s, "LayerNorm, token by token"), s->formats);
    tape_free(tape);
    return ok;
}

const Figure layernorm_figures[] = {
    {32, "layernorm", draw_layernorm,
     .what = "tokens of different size and offset, and what LayerNorm makes of them"},
    {0},
};
