/* algorithms_b.c: B's algorithms (b.c) against the library, and the effect of each slip (row 39). */
#include "lectures/06-language/language.h"

#include <string.h>

bool printed_begin(PrintedModel *s, uint64_t seed)
{
    const GptConfig config = {.words = B_I,
                              .longest = B_T,
                              .channels = B_E,
                              .heads = B_H,
                              .layers = B_L,
                              .position = POSITION_LEARNED};
    Rng rng = {.seed = seed, .stream = 670};
    *s = (PrintedModel){.params = params_new(seed), .tape = tape_new(seed)};
    bool ok = s->params && s->tape && gpt_init(&s->gpt, s->params, config);
    for (int i = 0; ok && i < s->params->count; i++) /* gpt_init's deviation is 0.02 */
        for (int64_t k = 0; k < tensor_size(s->params->weight[i]); k++)
            s->params->weight[i]->data[k] *= s->params->weight[i]->shape.rank > 1 ? 15 : 1;
    for (int t = 0; t <= B_T; t++)
        s->x[t] = (int)rng_below(&rng, B_I);
    return ok;
}

void printed_end(PrintedModel *s)
{
    tape_free(s->tape);
    params_free(s->params);
}

/* The slips that change what comes out, as faults. */
static const struct {
    const char *fault, *line, *label; /* label: in the figure */
    Slip slip;
} slips[] = {
    {"reread", "SA_Head 2: embd in every layer", "embd in every layer", SLIP_REREAD},
    {"no-scale", "SA_Head 4: no 1 / sqrt(S)", "no 1 / \xe2\x88\x9aS", SLIP_SCALE},
    {"no-output", "SelfAttention 4: no W_o", "heads not mixed", SLIP_OUTPUT},
    {"no-residual", "TransformerDec 2, 3: no path", "no residual path", SLIP_RESIDUAL},
    {"no-norm", "TransformerDec 2, 3: no norm", "no LayerNorm", SLIP_NORM},
    {"no-softmax", "TransformerLM 3: no softmax", "no softmax", SLIP_SOFTMAX},
};
enum { SLIPS = sizeof slips / sizeof *slips };

/* max |p - the library's p| over T positions and I words; NaN where that is poison. */
static double against_library(PrintedModel *s, const Printed *m)
{
    static double p[B_T * B_I];
    double worst = 0;
    tape_reset(s->tape);
    Tensor *q = ag_softmax(gpt_logits(&s->gpt, tape_ids(s->tape, s->x, shape2(1, B_T))));
    if (tensor_is_poison(q))
        return (double)NAN;
    transformer_lm(m, s->x, B_T, p);
    for (int i = 0; i < B_T * B_I; i++)
        worst = values_worst(worst, fabs(p[i] - (double)q->data[i]));
    return worst;
}

static double b_forward(Trial *t)
{
    PrintedModel s;
    double off = (double)NAN;
    if (printed_begin(&s, t->seed)) {
        Printed m = {.gpt = &s.gpt, .masked_decode = true};
        for (int i = 0; i < SLIPS; i++)
            m.printed |= broken(t, slips[i].fault) ? slips[i].slip : 0;
        off = against_library(&s, &m);
        explain(t, "%d tokens, %d words, %d heads, %d layers: max |p - library's p| = %.2g", B_T,
                B_I, B_H, B_L, off);
    }
    printed_end(&s);
    return off;
}

const Claim claim_b_forward = {
    .row = 39,
    .statement =
        "B's SA_Head, SelfAttention, TransformerDec and TransformerLM, as meant, compute a GPT",
    .slides = {"B: Self-Attention: Single Head", "B: Self-Attention: Multi-Head",
               "B: Transformer-Based LM: Context Extractor",
               "B: Transformer-based LM: Context Extractor"},
    .quantity = "max |p of the lines in plain C - softmax of gpt_logits|",
    AT_MOST(1e-5),
    .why = "the same sums in double and in float: probabilities rounded by some 1e-6",
    .faults = {{"reread", "line 2 of SA_Head as printed: every layer reads the tokens again"},
               {"no-scale", "line 4 of SA_Head as printed: no 1 / sqrt(S)"},
               {"no-output", "line 4 of SelfAttention as printed: no W_o"},
               {"no-residual", "lines 2, 3 of TransformerDec as printed: no residual path"},
               {"no-norm", "lines 2, 3 of TransformerDec as printed: no LayerNorm"},
               {"no-softmax", "line 3 of TransformerLM as printed: an MLP without softmax"}},
    .measure = b_forward,
};

/* ---- how much each slip changes -------------------------------------------------------------------------------------- */

/* The mean over positions of half the sum of |p - p as meant|. */
static double effect(const PrintedModel *s, unsigned printed, bool masked)
{
    static double p[B_T * B_I], q[B_T * B_I];
    Printed meant = {.gpt = &s->gpt, .masked_decode = masked}, m = meant;
    double sum = 0;
    m.printed = printed;
    transformer_lm(&meant, s->x, B_T, p);
    transformer_lm(&m, s->x, B_T, q);
    for (int i = 0; i < B_T * B_I; i++)
        sum += fabs(p[i] - q[i]) / (2 * B_T);
    return sum;
}

/* The least effect of the slips. */
static double b_effects(Trial *t)
{
    PrintedModel s;
    double least = (double)NAN;
    if (printed_begin(&s, t->seed)) {
        Printed meant = {.gpt = &s.gpt, .masked_decode = true};
        bool right = against_library(&s, &meant) < 1e-5;
        least = right ? INFINITY : (double)NAN;
        for (int i = 0; i < SLIPS; i++) {
            double d = effect(&s, broken(t, "as-meant") ? 0 : slips[i].slip, true);
            explain(t, "%-34s  changes p by %.3f%s", slips[i].line, d,
                    slips[i].slip == SLIP_SOFTMAX ? " (numbers that are no probabilities)" : "");
            least = values_least(least, d);
        }
    }
    printed_end(&s);
    return least;
}

const Claim claim_b_effects = {
    .row = 39,
    .statement = "each of six misprints in B's lines changes the result",
    .slides = {"B: Self-Attention: Single Head", "B: Self-Attention: Multi-Head",
               "B: Transformer-Based LM: Context Extractor",
               "B: Transformer-based LM: Context Extractor"},
    .quantity = "least change of the next token's distribution (total variation, mean over tokens)",
    AT_LEAST(0.01),
    .why = "a thousand times what rounding does",
    .faults = {{"as-meant", "the lines as they are meant"}},
    .against = {MISPRINTED, "B: Transformer-Based LM: Context Extractor",
                "every head reads embd(x_t) + embd(t) again; no 1 / sqrt(S), no W_o, no residual "
                "path, no LayerNorm, no softmax at the end"},
    .measure = b_effects,
};

static double b_one_loop(Trial *t)
{
    PrintedModel s;
    double off = (double)NAN;
    if (printed_begin(&s, t->seed)) {
        double masked = effect(&s, SLIP_ONE_LOOP, true), all = effect(&s, SLIP_ONE_LOOP, false);
        explain(t,
                "later keys not computed yet: changes p by %.3g with masked decoding, %.3f without",
                masked, all);
        off = broken(t, "encoding") ? all : masked;
        off = all > 0 ? off : (double)NAN;
    }
    printed_end(&s);
    return off;
}

const Claim claim_b_one_loop = {
    .row = 39,
    .statement =
        "SA_Head reads keys that its loop has not computed yet, which the mask makes harmless",
    .slides = {"B: Self-Attention: Single Head", "B: Masked Decoding"},
    .quantity = "change of p where keys of later tokens are still 0",
    EXACTLY(0),
    .why = "line 6 sets every score of a later token to -infinity; in an encoder none is",
    .faults = {{"encoding", "masked_decode is false, as in an encoder"}},
    .against = {MISPRINTED, "B: Self-Attention: Single Head",
                "one loop over t computes k_t and uses all keys"},
    .measure = b_one_loop,
    .holds_on_nan = "plain C; no kernel is run",
    .holds_on_zeros = "plain C; no kernel is run",
};

/* ---- figure ---------------------------------------------------------------------------------------------------------------------- */

/* All but the softmax: numbers that are no probabilities have no distance from a distribution. */
static bool draw_slips(const Sketch *s)
{
    static const char *names[SLIPS];
    static double values[SLIPS];
    PrintedModel subject;
    bool ok = printed_begin(&subject, s->seed);
    int n = 0;
    for (int i = 0; ok && i < SLIPS; i++)
        if (slips[i].slip != SLIP_SOFTMAX) {
            names[n] = slips[i].label;
            values[n++] = effect(&subject, slips[i].slip, true);
        }
    names[n] = "later keys missing";
    values[n++] = ok ? effect(&subject, SLIP_ONE_LOOP, true) : 0;
    printed_end(&subject);
    const PlotBars bars = {.names = names, .values = values, .count = n};
    return ok &&
           plot_bars(s->stem, &bars, 1,
                     sketch_title(s, "As printed: how far the next token's distribution moves"),
                     s->formats);
}

const Figure figure_slips = {
    .row = 39,
    .name = "slips",
    .what = "how much each line of B, as printed, changes the next token's distribution",
    .draw = draw_slips,
};
