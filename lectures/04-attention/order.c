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

const Claim claim_equivariance = {
    .row = 16,
    .statement = "permuting the tokens permutes the result: f(Px) = P f(x)",
    .slides = {"Z: Positional encoding", "J: Capturing the Order of the Input",
               "H: Position Embeddings"},
    .quantity = "max |f(Px) - P f(x)|: attention, multi-head attention, block",
    AT_MOST(1e-5),
    .why = "only the order of additions differs; rounding of numbers near 1, some 1e-7 each",
    .faults = {{"position-code", "sinusoids are added to the tokens first"},
               {"causal-mask", "no token sees later ones"}},
    .measure = equivariance,
};

/* Z's word "independent", taken literally, is wrong: the rows of the result move with their tokens. Their mean over
 * the tokens stays. The result is how far the rows move; no number where the mean moves too. */
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
    Tensor *reversed = apply(&m, BLOCK, values_permuted(x, order), false, (Mask){0});
    double rows = values_difference(y, reversed);
    double means = values_difference(ag_mean_axis(y, 1, false), ag_mean_axis(reversed, 1, false));
    explain(t, "tokens reversed: rows differ by up to %.2f, their mean by %.2g", rows, means);
    end(&m);
    return means <= 1e-5 ? rows : (double)NAN;
}

const Claim claim_not_invariant = {
    .row = 16,
    .statement = "a block's result is not independent of the order: its rows are permuted, only "
                 "their mean stays",
    .slides = {"Z: Positional encoding"},
    .quantity = "max |f(Px) - f(x)| of a block, reversed; NaN if the mean moves by 1e-5",
    AT_LEAST(0.5),
    .why =
        "160 differences of two tokens' numbers, each of deviation above 1: one at least exceeds "
        "0.5",
    .faults = {{"same-order", "the tokens stay where they are"}},
    .against = {QUALIFIED, "Z: Positional encoding",
                "the learned representation is independent of the order of the input tokens"},
    .measure = not_invariant,
};

/* Tokens 1 and 2 swap: how far the last token's context moves, under B's causal mask, after one layer or two. */
static double last_context_moves(Trial *t, int layers, bool position)
{
    static const int order[] = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
    Model m;
    begin(&m, t->seed);
    Rng rng = {.seed = t->seed, .stream = 162};
    Mask causal = {.causal = true};
    Tensor *x = values_normal(m.tape, &rng, shape3(1, TOKENS, WIDTH), 1);
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

const Claim claim_earlier_tokens = {
    .row = 16,
    .statement = "one causal layer: swapping earlier tokens leaves the context c_t",
    .slides = {"B: Sequential Order"},
    .quantity = "max |c_10 - c'_10| / |c_10| after x_1 and x_2 are swapped",
    AT_MOST(1e-5),
    .why = "the same terms are added in another order: rounding only",
    .faults = {{"position-code", "embd(t) is added to the tokens first"}},
    .measure = one_layer,
};

static double two_layers(Trial *t)
{
    return last_context_moves(t, broken(t, "one-layer") ? 1 : 2, false);
}

const Claim claim_two_layers = {
    .row = 16,
    .statement = "two causal layers see the order of earlier tokens",
    .slides = {"B: Sequential Order"},
    .quantity = "max |c_10 - c'_10| / |c_10| after x_1 and x_2 are swapped, two layers",
    AT_LEAST(1e-4),
    .why = "after the swap the old x_1 has seen x_2: its row of layer 1 is new. Rounding is 1e-6",
    .faults = {{"one-layer", "a single layer, as B's slide has it"}},
    .against = {QUALIFIED, "B: Sequential Order",
                "with token embeddings alone attention does not capture the order"},
    .measure = two_layers,
};

/* ---- where it is an advantage that order is not seen: a function of a set -------------------------------------- */

enum { BATCH = 64, SET_STEPS = 300, SET_WIDTH = 16, TRAINED = 5, LONGER = 20 };

/* One learned query over n numbers: which is the largest? Scores (BATCH, n); label: the right key of each set. */
typedef struct {
    Linear token, key;
    PositionalEncoding position;
    bool with_position;
} SetModel;

static Tensor *set_scores(const SetModel *m, Tape *tape, Rng *rng, int n, int *label)
{
    static real x[BATCH * LONGER];
    for (int b = 0; b < BATCH; b++) {
        label[b] = 0;
        for (int i = 0; i < n; i++) {
            x[b * n + i] = (real)rng_uniform(rng);
            label[b] = x[b * n + i] > x[b * n + label[b]] ? i : label[b];
        }
    }
    tape_reset(tape);
    Tensor *tokens = nn_linear(&m->token, tape_input(tape, x, shape3(BATCH, n, 1)));
    if (m->with_position)
        tokens = nn_position(&m->position, tokens);
    Tensor *keys = nn_linear(&m->key, ag_tanh(tokens));
    Tensor *query = tape_full(tape, 1, shape2(SET_WIDTH, 1));
    return ag_reshape(ag_matmul(keys, query), shape2(BATCH, n));
}

/* The share of sets whose largest score is that of the largest number. */
static double share_found(const Tensor *scores, const int *label, int n)
{
    int right = 0;
    for (int b = 0; b < BATCH; b++) {
        const real *s = scores->data + b * n;
        bool best = true;
        for (int i = 0; i < n; i++)
            best &= i == label[b] || s[label[b]] > s[i];
        right += best;
    }
    return (double)right / BATCH;
}

static double set_function(Trial *t)
{
    enum { TESTS = 20 };
    int label[BATCH];
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 163};
    SetModel m = {.with_position = broken(t, "position-code")};
    Adam adam;
    nn_linear_init(&m.token, p, "token", 1, SET_WIDTH, true);
    nn_linear_init(&m.key, p, "key", SET_WIDTH, SET_WIDTH, true);
    nn_position_init(&m.position, p, "position", POSITION_SINUSOIDAL, LONGER, SET_WIDTH);
    adam_init(&adam, p, 0.02);
    for (int step = 0; step < SET_STEPS; step++) {
        Tensor *scores = set_scores(&m, tape, &rng, TRAINED, label);
        ag_backward(ag_cross_entropy(scores, tape_ids(tape, label, shape1(BATCH))));
        adam_step(&adam, p);
    }
    double found = 0;
    for (int i = 0; i < TESTS; i++)
        found += share_found(set_scores(&m, tape, &rng, LONGER, label), label, LONGER) / TESTS;
    explain(t,
            "trained on sets of %d: the largest of %d is found in %.3f of %d sets; by chance %.3f",
            TRAINED, LONGER, found, TESTS * BATCH, 1.0 / LONGER);
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return found;
}

const Claim claim_set_function = {
    .row = 16,
    .statement = "attention that learned the largest of 5 numbers finds the largest of 20",
    .slides = {"J: Capturing the Order of the Input"},
    .quantity = "share of sets of 20 whose largest weight lies on the largest number",
    AT_LEAST(0.95),
    .why = "scores that rise with the number are right for sets of any length; 0.05 is left for "
           "numbers that are nearly equal",
    .faults = {{"position-code",
                "a positional encoding: positions 6 to 20 never occurred in training"}},
    .measure = set_function,
};

/* ---- figure -------------------------------------------------------------------------------------------------- */

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
        .scale = {.low = -7,
                  .high = 1,
                  .name = "log\xe2\x82\x81\xe2\x82\x80 max |f(Px) \xe2\x88\x92 P f(x)|"},
        .values = true};
    bool ok = plot_heatmap(s->stem, &h, s->formats);
    tensor_free(map);
    return ok;
}

const Figure figure_order = {
    .row = 16,
    .name = "order",
    .what = "zero to rounding, until a positional encoding or a causal mask tells tokens apart",
    .draw = draw_order,
};
