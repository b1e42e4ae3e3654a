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
    *s = (Stack){.depth = depth, .post_norm = post_norm};
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
    return s->post_norm ? x : nn_norm(&s->final, x);
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

/* ---- the last layer's gradient before the first step ----------------------------------------- */

enum { DEPTHS = 3, WORDS = 16, DRAWS = 16 };
static const int depths[DEPTHS] = {6, 12, 24};

/* |dL/dW_2| of the last layer, for one draw of weights and data: tokens with random labels,
 * cross-entropy. */
static bool one_draw(uint64_t seed, int depth, bool post, double *length)
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
        double square = 0;
        xavier(head.weight, &rng);
        for (int i = 0; i < B * T; i++)
            labels[i] = (int)rng_below(&rng, WORDS);
        Tensor *x = values_normal(tape, &rng, shape3(B, T, C), 1);
        Tensor *logits = nn_linear(&head, stack_forward(&s, x, (Mask){0}));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, labels, shape2(B, T))));
        const Tensor *w = s.block[depth - 1].ff.down.weight;
        for (int64_t i = 0; ok && i < tensor_size(w); i++)
            square += (double)w->grad[i] * (double)w->grad[i];
        *length = sqrt(square);
    }
    tape_free(tape);
    params_free(p);
    return ok;
}

/* All draws of one family at all depths, kept: claims and figure ask for the same. NULL after an
 * error. */
typedef double Lengths[DRAWS];

static Lengths *gradients(uint64_t seed, bool post)
{
    static Lengths known[2][DEPTHS];
    static Made made[2];
    if (made_for(&made[post], seed))
        return known[post];
    for (int i = 0; made[post].is && i < DEPTHS; i++)
        for (int d = 0; made[post].is && d < DRAWS; d++)
            made[post].is =
                one_draw(seed * 1000 + (uint64_t)d, depths[i], post, &known[post][i][d]);
    return made[post].is ? known[post] : NULL;
}

/* The exponent by which the last layer's gradient goes with the depth, the mean over the draws. */
static double exponent(Trial *t, bool post)
{
    double each[DRAWS];
    Lengths *g = gradients(t->seed, post);
    for (int d = 0; g && d < DRAWS; d++) {
        double x[DEPTHS], y[DEPTHS];
        for (int i = 0; i < DEPTHS; i++) {
            x[i] = depths[i];
            y[i] = g[i][d];
        }
        each[d] = values_exponent(x, y, DEPTHS);
    }
    if (!g)
        return (double)NAN;
    const Mean p = values_mean(each, DRAWS);
    explain(t, "%s: last layer's |dL/dW_2| ~ depth^p, p = %.3f +- %.3f over %d draws",
            post ? "post-norm" : "pre-norm", p.mean, p.error, DRAWS);
    return p.mean;
}

static double gradient_by_depth(Trial *t)
{
    double pre = exponent(t, broken(t, "post-norm"));
    return exponent(t, !broken(t, "pre-norm")) - pre;
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
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The last layer's, mean of the draws with its error, over the depth. */
static bool draw_gradients(const Sketch *s)
{
    double x[DEPTHS], y[2][DEPTHS], error[2][DEPTHS];
    for (int post = 0; post < 2; post++) {
        Lengths *g = gradients(s->seed, post);
        if (!g)
            return false;
        for (int i = 0; i < DEPTHS; i++) {
            const Mean m = values_mean(g[i], DRAWS);
            x[i] = depths[i];
            y[post][i] = m.mean;
            error[post][i] = m.error;
        }
    }
    const double *const errors[] = {error[1], error[0]};
    const PlotSeries series[] = {{"post-norm", x, y[1], DEPTHS}, {"pre-norm", x, y[0], DEPTHS}};
    return SKETCH_CURVES(s, "Gradients before the first step", series, .errors = errors,
                         .x_name = "layers", .y_name = "|dL/dW\xe2\x82\x82| of the last layer",
                         .y_low = 0, .y_high = 3.5);
}

const Figure norm_figures[] = {
    {35, "gradients", draw_gradients,
     .what = "before training, the last layer's gradient by depth: it stays with post-norm and "
             "shrinks with pre-norm"},
    {0},
};
