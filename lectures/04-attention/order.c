/* order.c: attention does not see the order of its tokens (row 16).
 *
 *   f(P x) = P f(x) for every permutation P     equivariance: Z "Positional encoding", J "Capturing the Order ..."
 *   c_t is the same when earlier tokens swap    B "Sequential Order"
 *   z_4 = z'_1 when token 4 moves to the front  H "Position Embeddings" */
#include "lectures/04-attention/attention.h"

enum { TOKENS = 10, WIDTH = 16, HEADS = 4, ORDERS = 3 };

typedef enum { PLAIN, MULTI_HEAD, BLOCK, FUNCTIONS } Function;
static const char *const names[FUNCTIONS] = {"attention without weights", "multi-head attention",
                                             "a whole block"};

typedef struct {
    Params *params;
    Tape *tape;
    MultiHeadAttention attention;
    TransformerBlock block;
    PositionalEncoding position;
} Model;

static void begin(Model *m, uint64_t seed)
{
    BlockConfig config = {.channels = WIDTH, .heads = HEADS};
    m->params = params_new(seed);
    m->tape = tape_new(seed);
    nn_attention_init(&m->attention, m->params, "attention", WIDTH, HEADS, 0);
    nn_transformer_block_init(&m->block, m->params, "block", config);
    nn_position_init(&m->position, m->params, "position", POSITION_SINUSOIDAL, TOKENS, WIDTH);
}

static void end(Model *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

/* f of tokens (1, T, C), with a positional encoding added first or not. */
static Tensor *apply(const Model *m, Function f, Tensor *x, bool position, Mask mask)
{
    if (position)
        x = nn_position(&m->position, x);
    return f == PLAIN        ? ag_attention(x, x, x, mask, 0)
           : f == MULTI_HEAD ? nn_attention(&m->attention, x, mask)
                             : nn_transformer_block(&m->block, x, mask);
}

/* max |f(Px) - P f(x)| over a few permutations. */
static double order_error(Model *m, Function f, uint64_t seed, bool position, Mask mask)
{
    Rng rng = {.seed = seed, .stream = 16};
    double worst = 0;
    for (int k = 0; k < ORDERS; k++) {
        int order[TOKENS];
        for (int t = 0; t < TOKENS; t++)
            order[t] = t;
        rng_shuffle(&rng, order, TOKENS);
        tape_reset(m->tape);
        Tensor *x = values_normal(m->tape, &rng, shape3(1, TOKENS, WIDTH), 1);
        Tensor *then_f = apply(m, f, values_permuted(x, order), position, mask);
        Tensor *f_then = values_permuted(apply(m, f, x, position, mask), order);
        worst = values_worst(worst, values_difference(then_f, f_then));
    }
    return worst;
}

static double equivariance(Trial *t)
{
    Model m;
    double worst = 0;
    Mask mask = {.causal = broken(t, "causal-mask")};
    begin(&m, t->seed);
    for (Function f = PLAIN; f < FUNCTIONS; f++) {
        double off = order_error(&m, f, t->seed, broken(t, "position-code"), mask);
        explain(t, "%-26s max |f(Px) - P f(x)| = %.2g", names[f], off);
        worst = values_worst(worst, off);
    }
    end(&m);
    return worst;
}

/* Z's slide says that the rows are permuted, and next that the representation is "independent" of
 * the order: that is so of the rows as a set, and of their mean. The result is how far row n moves;
 * no number where the mean moves. */
static double not_invariant(Trial *t)
{
    Model m;
    begin(&m, t->seed);
    Tensor *x = values_normal(m.tape, trial_rng(t, 161), shape3(1, TOKENS, WIDTH), 1);
    int order[TOKENS];
    for (int i = 0; i < TOKENS; i++)
        order[i] = broken(t, "same-order") ? i : TOKENS - 1 - i;
    Tensor *y = apply(&m, BLOCK, x, false, (Mask){0});
    Tensor *reversed = apply(&m, BLOCK, values_permuted(x, order), false, (Mask){0});
    double rows = values_difference(y, reversed);
    double means = values_difference(ag_mean_axis(y, 1, false), ag_mean_axis(reversed, 1, false));
    explain(t, "tokens reversed: rows differ by up to %.2f, their mean by %.2g", rows, means);
    end(&m);
    return means <= 1e-5 ? rows : (double)NAN;
}

/* Tokens 1 and 2 swap: how far the last token's context moves, under B's causal mask, after one
 * layer or two. */
static double last_context_moves(Trial *t, int layers, bool position)
{
    static const int order[] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
    Model m;
    begin(&m, t->seed);
    Mask causal = {.causal = true};
    Tensor *x = values_normal(m.tape, trial_rng(t, 162), shape3(1, TOKENS, WIDTH), 1);
    Tensor *c = apply(&m, MULTI_HEAD, x, position, causal);
    Tensor *swapped = apply(&m, MULTI_HEAD, values_permuted(x, order), position, causal);
    if (layers == 2) {
        c = apply(&m, MULTI_HEAD, c, false, causal);
        swapped = apply(&m, MULTI_HEAD, swapped, false, causal);
    }
    double last = values_difference(ag_slice(c, 1, TOKENS - 1, TOKENS),
                                    ag_slice(swapped, 1, TOKENS - 1, TOKENS)) /
                  values_largest(ag_slice(c, 1, TOKENS - 1, TOKENS));
    explain(t, "x_1 and x_2 swapped, %d causal layer%s: c_10 moves by %.2g of its size", layers,
            layers > 1 ? "s" : "", last);
    end(&m);
    return last;
}

static double one_layer(Trial *t)
{
    return last_context_moves(t, 1, broken(t, "position-code"));
}

static double two_layers(Trial *t)
{
    return last_context_moves(t, broken(t, "one-layer") ? 1 : 2, false);
}

const Claim order_claims[] = {
    {16, equivariance, "permuting the tokens permutes the result: f(Px) = P f(x)",
     .slides = {"Z: Positional encoding", "J: Capturing the Order of the Input",
                "H: Position Embeddings"},
     .quantity = "max |f(Px) - P f(x)|: attention, multi-head attention, block",
     AT_MOST(1e-5, "only the order of additions differs; rounding of numbers near 1, some 1e-7 "
                   "each"),
     .faults = {{"position-code", "sinusoids are added to the tokens first"},
                {"causal-mask", "no token sees later ones"}}},
    {16, not_invariant,
     "if the tokens are reversed, each row of a block's result moves with its token, and the mean "
     "of the rows stays",
     .slides = {"Z: Positional encoding"},
     .quantity = "max |f(Px) - f(x)| of a block, reversed; NaN if the mean moves by 1e-5",
     AT_LEAST(0.5, "160 differences of two tokens' numbers, each of deviation above 1: one at "
                   "least exceeds 0.5"),
     .faults = {{"same-order", "the tokens stay where they are"}}},
    {16, one_layer,
     "in one causal layer swapping two earlier tokens leaves the context c_t as it is",
     .slides = {"B: Sequential Order"},
     .quantity = "max |c_10 - c'_10| / |c_10| after x_1 and x_2 are swapped",
     AT_MOST(1e-5, "the same terms are added in another order: rounding only"),
     .faults = {{"position-code", "embd(t) is added to the tokens first"}}},
    {16, two_layers, "two causal layers see the order of earlier tokens",
     .slides = {"B: Sequential Order"},
     .quantity = "max |c_10 - c'_10| / |c_10| after x_1 and x_2 are swapped, two layers",
     AT_LEAST(1e-4, "after the swap the old x_1 has seen x_2: its row of layer 1 is new. Rounding "
                    "is 1e-6"),
     .faults = {{"one-layer", "a single layer, as B's slide has it"}},
     .against = {QUALIFIED, "B: Sequential Order",
                 "\"Using only token embedding we do not capture sequential order via attention!\" "
                 "(B derives it for one causal layer)"}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The three functions, as they are, with a positional encoding, and with a causal mask. */
static bool draw_order(const Sketch *s)
{
    static const char *const columns[] = {"as it is", "position code", "causal mask"};
    real off[FUNCTIONS * 3];
    Model m;
    begin(&m, s->seed);
    for (Function f = PLAIN; f < FUNCTIONS; f++)
        for (int k = 0; k < 3; k++)
            off[f * 3 + k] =
                (real)log10(order_error(&m, f, s->seed, k == 1, (Mask){.causal = k == 2}));
    end(&m);
    Tensor *map = tensor_from(off, shape2(FUNCTIONS, 3));
    const PlotHeatmap h = {
        .map = map,
        .rows = names,
        .columns = columns,
        .title = sketch_title(s, "Does it see the order?  log\xe2\x82\x81\xe2\x82\x80 max |f(Px) "
                                 "\xe2\x88\x92 P f(x)|; \xe2\x88\x92"
                                 "6: no"),
        .row_name = "",
        .column_name = "",
        .scale = {.low = -8,
                  .high = 1,
                  .name = "log\xe2\x82\x81\xe2\x82\x80 max |f(Px) \xe2\x88\x92 P f(x)|"},
        .values = true};
    bool ok = plot_heatmap(s->stem, &h, s->formats);
    tensor_free(map);
    return ok;
}

const Figure order_figures[] = {
    {16, "order", draw_order,
     .what = "zero to rounding, until a positional encoding or a causal mask tells tokens apart"},
    {0},
};
