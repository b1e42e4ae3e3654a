/* order.c: attention does not see the order of its tokens (row 16).
 *
 *   f(P x) = P f(x) for every permutation P        equivariance: Z "Positional encoding", J "Capturing the Order ..."
 *   c_t is the same when earlier tokens swap       B "Sequential Order"
 *   z_4 = z'_1 when token 4 moves to the front     H "Position Embeddings" */
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

/* f of tokens (1, T, C), with a position code added first or not. */
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

const Claim claim_equivariance = {
    .row = 16,
    .statement = "permuting the tokens permutes the result: f(Px) = P f(x)",
    .slides = {"Z: Positional encoding", "J: Capturing the Order of the Input",
               "H: Position Embeddings"},
    .quantity = "max |f(Px) - P f(x)|: attention, multi-head attention, block",
    AT_MOST(1e-5),
    .why = "only the order of additions differs; rounding of numbers near 1, some 1e-7 each",
    .faults = {{"position-code", "a sinusoidal code is added to the tokens first"},
               {"causal-mask", "no token sees those behind it"}},
    .measure = equivariance,
};

/* Z's word "independent" taken at its letter: the rows of the result do move. Their mean over the tokens does not. */
static double not_invariant(Trial *t)
{
    Model m;
    begin(&m, t->seed);
    Rng rng = {.seed = t->seed, .stream = 161};
    Tensor *x = values_normal(m.tape, &rng, shape3(1, TOKENS, WIDTH), 1);
    int order[TOKENS];
    for (int i = 0; i < TOKENS; i++)
        order[i] = broken(t, "same-order") ? i : TOKENS - 1 - i;
    Tensor *y = apply(&m, BLOCK, x, false, (Mask){0});
    Tensor *turned = apply(&m, BLOCK, values_permuted(x, order), false, (Mask){0});
    double rows = values_difference(y, turned);
    double means = values_difference(ag_mean_axis(y, 1, false), ag_mean_axis(turned, 1, false));
    explain(t, "tokens reversed: rows differ by up to %.2f, their mean by %.2g", rows, means);
    end(&m);
    return rows;
}

const Claim claim_not_invariant = {
    .row = 16,
    .statement = "\"independent of the order\": the rows move along, their mean stays",
    .slides = {"Z: Positional encoding"},
    .quantity = "max |f(Px) - f(x)| of a block, tokens reversed",
    AT_LEAST(0.5),
    .why =
        "row t of the result is that of another token; of 160 normals some differ by more than 0.5",
    .faults = {{"same-order", "the tokens stay where they are"}},
    .measure = not_invariant,
};

/* Tokens 1 and 2 swap: how far the last token's context moves, under B's causal mask. */
static double earlier_tokens(Trial *t)
{
    static const int order[] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
    Model m;
    begin(&m, t->seed);
    Rng rng = {.seed = t->seed, .stream = 162};
    Mask causal = {.causal = true};
    bool position = broken(t, "position-code");
    Tensor *x = values_normal(m.tape, &rng, shape3(1, TOKENS, WIDTH), 1);
    Tensor *c = apply(&m, MULTI_HEAD, x, position, causal);
    Tensor *swapped = apply(&m, MULTI_HEAD, values_permuted(x, order), position, causal);
    double last = values_difference(ag_slice(c, 1, TOKENS - 1, TOKENS),
                                    ag_slice(swapped, 1, TOKENS - 1, TOKENS));
    explain(t, "x_1 and x_2 swapped: c_10 moves by %.2g", last);
    end(&m);
    return last;
}

const Claim claim_earlier_tokens = {
    .row = 16,
    .statement = "swapping earlier tokens leaves the context c_t as it is",
    .slides = {"B: Sequential Order"},
    .quantity = "max |c_10 - c'_10| after x_1 and x_2 are swapped",
    AT_MOST(1e-5),
    .why = "the same terms are added in another order: rounding only",
    .faults = {{"position-code", "embd(t) is added to the tokens first"}},
    .measure = earlier_tokens,
};

/* ---- figure -------------------------------------------------------------------------------------------------- */

/* The three functions, as they are, with a position code, and with a causal mask. */
static bool draw_order(const Sketch *s)
{
    static const char *const columns[] = {"as it is", "position code", "causal mask"};
    real off[FUNCTIONS * 3];
    Model m;
    begin(&m, s->seed);
    for (Function f = PLAIN; f < FUNCTIONS; f++)
        for (int k = 0; k < 3; k++)
            off[f * 3 + k] = (real)order_error(&m, f, s->seed, k == 1, (Mask){.causal = k == 2});
    end(&m);
    Tensor *map = tensor_from(off, shape2(FUNCTIONS, 3));
    const PlotHeatmap h = {
        .map = map,
        .rows = names,
        .columns = columns,
        .title = sketch_title(s, "Does it see the order?  max |f(Px) \xe2\x88\x92 P f(x)|"),
        .row_name = "",
        .column_name = "",
        .scale = {.low = 0, .high = 2.5, .name = "max |f(Px) \xe2\x88\x92 P f(x)|"},
        .values = true};
    bool ok = plot_heatmap(s->stem, &h, s->formats);
    tensor_free(map);
    return ok;
}

const Figure figure_order = {
    .row = 16,
    .name = "order",
    .what = "zero to rounding, until a position code or a causal mask tells tokens apart",
    .draw = draw_order,
};
