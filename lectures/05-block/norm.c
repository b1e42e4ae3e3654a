/* norm.c: where the LayerNorm stands (row 35).
 *
 *   post-norm  x = LN(x + attn(x));  x = LN(x + ff(x))                 V "Encoder Block Summarized", Z, J
 *   pre-norm   x = x + attn(LN(x));  x = x + ff(LN(x));  at the end LN(x)                         Z, J
 *
 * At the beginning of training, with Xavier's weights (Xiong et al. 2020, theorem 1): the gradient
 * of the last layer's W_2 is O(1) in the depth L with post-norm and O(1 / sqrt L) with pre-norm. */
#include "lectures/05-block/block.h"

/* ---- blocks one on another ------------------------------------------------------------------- */

static void xavier(Tensor *w, Rng *rng)
{
    double deviation = sqrt(2.0 / (double)(w->shape.dim[0] + w->shape.dim[1]));
    for (int64_t i = 0; i < tensor_size(w); i++)
        w->data[i] = (real)(deviation * rng_normal(rng));
}

static void zero(Tensor *w)
{
    for (int64_t i = 0; i < tensor_size(w); i++)
        w->data[i] = 0;
}

bool stack_init(Stack *s, Params *p, int depth, int channels, int heads, bool post_norm)
{
    BlockConfig c = {.channels = channels,
                     .heads = heads,
                     .post_norm = post_norm,
                     .activation = ACTIVATION_RELU};
    Rng rng = {.seed = p->seed, .stream = 35};
    *s = (Stack){.depth = depth, .post_norm = post_norm, .final_norm = !post_norm};
    bool ok = nn_layernorm_init(&s->final, p, "norm", channels);
    for (int l = 0; ok && l < depth; l++) {
        TransformerBlock *b = &s->block[l];
        ok = nn_transformer_block_init(b, p, params_path(p, "blocks.%d", l), c);
        if (!ok)
            break;
        xavier(b->attn.out_proj.weight, &rng);
        xavier(b->ff.up.weight, &rng);
        xavier(b->ff.down.weight, &rng);
        zero(b->ff.up.bias);
        zero(b->ff.down.bias);
    }
    return ok;
}

Tensor *stack_forward(const Stack *s, Tensor *x, Mask mask)
{
    for (int l = 0; l < s->depth; l++)
        x = nn_transformer_block(&s->block[l], x, mask);
    return s->final_norm ? nn_norm(&s->final, x) : x;
}

/* ---- the equations, op by op ----------------------------------------------------------------- */

/* One block by the slides' lines; J's have dropout p = 0.1 between a branch and the sum. */
static Tensor *by_hand(const TransformerBlock *b, Tensor *x, bool post, real p)
{
    if (post) {
        Tensor *a = ag_dropout(nn_attention(&b->attn, x, (Mask){0}), p);
        x = nn_norm(&b->norm1, ag_add(x, a));
        return nn_norm(&b->norm2, ag_add(x, ag_dropout(nn_feedforward(&b->ff, x), p)));
    }
    Tensor *a = nn_attention(&b->attn, nn_norm(&b->norm1, x), (Mask){0});
    x = ag_add(x, ag_dropout(a, p));
    return ag_add(x, ag_dropout(nn_feedforward(&b->ff, nn_norm(&b->norm2, x)), p));
}

/* On two tapes of one seed, in training, so that both draw the same masks. */
static double equations(Trial *t)
{
    bool post = t->claim->variant;
    enum { B = 2, T = 6, C = 32 };
    const real p = (real)0.1;
    Params *params = trial_params(t);
    Tape *tape = tape_new(t->seed), *other = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 350}, again = rng;
    Stack s;
    tape->training = other->training = true;
    stack_init(&s, params, 1, C, 4, post);
    s.block[0].dropout = p;
    Tensor *x = values_normal(tape, &rng, shape3(B, T, C), 1);
    Tensor *library = nn_transformer_block(&s.block[0], x, (Mask){0});
    Tensor *hand = by_hand(&s.block[0], values_normal(other, &again, shape3(B, T, C), 1),
                           broken(t, "swapped") ? !post : post, broken(t, "no-dropout") ? 0 : p);
    double off = values_difference(library, hand);
    explain(t, "%s, dropout 0.1: max |library - slide| = %.2g, of outputs up to %.2f",
            post ? "post-norm" : "pre-norm", off, values_largest(library));
    tape_free(tape);
    tape_free(other);
    return off;
}

/* ---- the gradient of each layer before the first step ---------------------------------------- */

enum { DEPTHS = 3, WORDS = 16, DRAWS = 16 };
static const int depths[DEPTHS] = {6, 12, 24};

static double length_of(const real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

/* |dL/dW_2| of each layer, for one draw of weights and data: tokens with random labels,
 * cross-entropy. */
static bool one_draw(uint64_t seed, int depth, bool post, double *lengths)
{
    enum { B = 2, T = 8, C = 64 };
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 351};
    static Stack s;
    Linear head;
    bool ok = p && tape && stack_init(&s, p, depth, C, 4, post) &&
              nn_linear_init(&head, p, "head", C, WORDS, false);
    if (ok) {
        int labels[B * T];
        xavier(head.weight, &rng);
        for (int i = 0; i < B * T; i++)
            labels[i] = (int)rng_below(&rng, WORDS);
        Tensor *x = values_normal(tape, &rng, shape3(B, T, C), 1);
        Tensor *logits = nn_linear(&head, stack_forward(&s, x, (Mask){0}));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, labels, shape2(B, T))));
        for (int l = 0; ok && l < depth; l++) {
            const Tensor *w = s.block[l].ff.down.weight;
            lengths[l] = length_of(w->grad, tensor_size(w));
        }
    }
    tape_free(tape);
    params_free(p);
    return ok;
}

/* All draws of one family at all depths, kept: claims and figure ask for the same. NULL after an
 * error. */
typedef double Lengths[DRAWS][STACK_MAX];

static Lengths *gradients(uint64_t seed, bool post)
{
    static Lengths known[2][DEPTHS];
    static Made made[2];
    if (made_for(&made[post], seed))
        return known[post];
    for (int i = 0; made[post].is && i < DEPTHS; i++)
        for (int d = 0; made[post].is && d < DRAWS; d++)
            made[post].is = one_draw(seed * 1000 + (uint64_t)d, depths[i], post, known[post][i][d]);
    return made[post].is ? known[post] : NULL;
}

/* The exponent by which the last layer's gradient goes with the depth: its mean over the draws, and
 * the standard error of that. */
typedef struct {
    double mean, error;
} Slope;

static Slope last_layer(Trial *t, bool post)
{
    double mean = 0, square = 0;
    Lengths *g = gradients(t->seed, post);
    for (int d = 0; g && d < DRAWS; d++) {
        double x[DEPTHS], y[DEPTHS];
        for (int i = 0; i < DEPTHS; i++) {
            x[i] = depths[i];
            y[i] = g[i][d][depths[i] - 1];
        }
        double p = values_exponent(x, y, DEPTHS);
        mean += p / DRAWS;
        square += p * p / DRAWS;
    }
    Slope s = {g ? mean : (double)NAN, sqrt((square - mean * mean) / (DRAWS - 1))};
    explain(t, "%s: last layer's |dL/dW_2| ~ depth^p, p = %.3f +- %.3f over %d draws",
            post ? "post-norm" : "pre-norm", s.mean, s.error, DRAWS);
    return s;
}

static double gradient_by_depth(Trial *t)
{
    Slope pre = last_layer(t, broken(t, "post-norm")), post = last_layer(t, !broken(t, "pre-norm"));
    return post.mean - pre.mean;
}

/* ---- the final norm -------------------------------------------------------------------------- */

/* The mean square of what leaves the last block, without a final norm. */
static double stream_power(uint64_t seed, int depth, bool post)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 353};
    static Stack s;
    double power = (double)NAN;
    if (p && tape && stack_init(&s, p, depth, 64, 4, post)) {
        tape->no_grad = true;
        s.final_norm = false;
        Tensor *y = stack_forward(&s, values_normal(tape, &rng, shape3(2, 8, 64), 1), (Mask){0});
        power = (double)tensor_item(ag_mean(ag_mul(y, y)));
    }
    tape_free(tape);
    params_free(p);
    return power;
}

static double final_norm(Trial *t)
{
    enum { POWER_DRAWS = 8 };
    double x[DEPTHS], y[DEPTHS];
    for (int i = 0; i < DEPTHS; i++) {
        x[i] = depths[i];
        y[i] = 0;
        for (int d = 0; d < POWER_DRAWS; d++)
            y[i] += stream_power(t->seed * 1000 + (uint64_t)d, depths[i], broken(t, "post-norm")) /
                    POWER_DRAWS;
        explain(t, "%2d layers: mean square of the residual path %.2f", depths[i], y[i]);
    }
    return values_exponent(x, y, DEPTHS);
}

const Claim norm_claims[] = {
    {35, equations, "post-norm is x = LN(x + dropout(sublayer(x))), twice",
     .slides = {"V: Residual Connection & Layer Normalization", "V: Encoder Block Summarized",
                "Z: Transformer layer", "J: On the LayerNorm in Transformer",
                "J: Residual Connections, Dropout, and Normalization"},
     .quantity = "max |library's block - the slide's lines|",
     EXACTLY(0, "the same operations on the same numbers, in the same order, under the same masks"),
     .faults = {{"swapped", "the norms stand where pre-norm has them"},
                {"no-dropout", "J's second line is left out"}},
     .variant = true},
    {35, equations, "pre-norm is x = x + dropout(sublayer(LN(x))), twice",
     .slides = {"Z: Transformer layer", "J: On the LayerNorm in Transformer"},
     .quantity = "max |library's block - the slide's lines|",
     EXACTLY(0, "the same operations on the same numbers, in the same order, under the same masks"),
     .faults = {{"swapped", "the norms stand where post-norm has them"},
                {"no-dropout", "nothing is dropped"}},
     .variant = false},
    {35, gradient_by_depth,
     "before training the last layer's gradient shrinks with the depth in pre-norm, not in "
     "post-norm",
     .slides = {"J: On the LayerNorm in Transformer"},
     .quantity = "p of post-norm less p of pre-norm, |dL/dW_2| ~ depth^p, depth 6, 12, 24",
     BETWEEN(0.25, 1, "in theory 0 and -1/2; the difference has an error of 0.1 over 16 draws"),
     .faults = {{"pre-norm", "both are pre-norm"}, {"post-norm", "both are post-norm"}}},
    {35, final_norm,
     "before training the mean square of the residual path of pre-norm grows about as the depth",
     .slides = {"J: On the LayerNorm in Transformer"},
     .quantity = "exponent of the path's mean square over depth 6, 12, 24, mean of 8 draws",
     BETWEEN(0.7, 1.2,
             "1 + c L: each branch adds about as much variance as the last; 8 draws "
             "scatter by 0.04"),
     .faults = {{"post-norm", "the blocks are post-norm: every one ends at variance 1"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The last layer's, mean of the draws with its error, over the depth. */
static bool draw_gradients(const Sketch *s)
{
    double x[DEPTHS], y[2][DEPTHS], error[2][DEPTHS], each[DRAWS];
    for (int post = 0; post < 2; post++) {
        Lengths *g = gradients(s->seed, post);
        for (int i = 0; g && i < DEPTHS; i++) {
            for (int d = 0; d < DRAWS; d++)
                each[d] = g[i][d][depths[i] - 1];
            const Mean m = values_mean(each, DRAWS);
            x[i] = depths[i];
            y[post][i] = m.mean;
            error[post][i] = m.error;
        }
        if (!g)
            return false;
    }
    const double *const errors[] = {error[1], error[0]};
    const PlotSeries series[] = {{"post-norm", x, y[1], DEPTHS}, {"pre-norm", x, y[0], DEPTHS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .errors = errors,
                               .title = sketch_title(s, "Gradients before the first step"),
                               .x_name = "layers",
                               .y_name = "|dL/dW\xe2\x82\x82| of the last layer",
                               .y_low = 0,
                               .y_high = 3.5};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure norm_figures[] = {
    {35, "gradients", draw_gradients,
     .what = "before training, the last layer's gradient by depth: it stays with post-norm and "
             "shrinks with pre-norm"},
    {0},
};
