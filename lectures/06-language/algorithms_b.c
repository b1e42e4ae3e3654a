/* algorithms_b.c: B's algorithms (b.c) against the library, and what it does otherwise (row 39). */
#include "lectures/06-language/language.h"

#include <string.h>

static void scale_matrices(PrintedModel *s, double factor)
{
    for (int i = 0; i < s->params->count; i++)
        for (int64_t k = 0; k < tensor_size(s->params->weight[i]); k++)
            s->params->weight[i]->data[k] *=
                s->params->weight[i]->shape.rank > 1 ? (real)factor : 1;
}

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
    bool ok = s->params && s->tape && nn_gpt_init(&s->gpt, s->params, "", config);
    if (ok)
        scale_matrices(s, 15); /* nn_gpt_init's deviation is 0.02 */
    for (int t = 0; t <= B_T; t++)
        s->x[t] = (int)rng_below(&rng, B_I);
    return ok;
}

void printed_end(PrintedModel *s)
{
    tape_free(s->tape);
    params_free(s->params);
}

/* The lines with which another p comes out, as faults. */
static const struct {
    const char *fault, *label; /* label: in the figure */
    PrintedLine line;
} lines[] = {
    {"reread", "SA_Head 2: embd in every layer", PRINTED_REREAD},
    {"no-scale", "SA_Head 4: no 1 / \xe2\x88\x9aS", PRINTED_SCALE},
    {"no-output", "SelfAttention 4: no W_o", PRINTED_OUTPUT},
    {"no-residual", "TransformerDec 2, 3: no residual path", PRINTED_RESIDUAL},
    {"no-norm", "TransformerDec 2, 3: no LayerNorm", PRINTED_NORM},
    {"no-softmax", "TransformerLM 3: no softmax", PRINTED_SOFTMAX},
};
enum { LINES = sizeof lines / sizeof *lines };

/* max |p - the library's p| over T positions and I words; NaN where that is poison. */
static double against_library(PrintedModel *s, const Printed *m)
{
    static double p[B_T * B_I];
    double worst = 0;
    tape_reset(s->tape);
    Tensor *q = ag_softmax(nn_gpt(&s->gpt, tape_ids(s->tape, s->x, shape2(1, B_T))));
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
        for (int i = 0; i < LINES; i++)
            m.printed |= broken(t, lines[i].fault) ? lines[i].line : 0;
        off = against_library(&s, &m);
        explain(t, "%d tokens, %d words, %d heads, %d layers: max |p - library's p| = %.2g", B_T,
                B_I, B_H, B_L, off);
    }
    printed_end(&s);
    return off;
}

/* ---- one loop, or two ------------------------------------------------------------------------ */

/* The mean over positions of half the sum of |p - the library's p|. */
static double effect(const PrintedModel *s, unsigned printed, bool masked)
{
    static double p[B_T * B_I], q[B_T * B_I];
    Printed without = {.gpt = &s->gpt, .masked_decode = masked}, m = without;
    double sum = 0;
    m.printed = printed;
    transformer_lm(&without, s->x, B_T, p);
    transformer_lm(&m, s->x, B_T, q);
    for (int i = 0; i < B_T * B_I; i++)
        sum += fabs(p[i] - q[i]) / (2 * B_T);
    return sum;
}

const Claim algorithms_b_claims[] = {
    {39, b_forward,
     "B's SA_Head to TransformerLM compute a GPT, if line 2 stands below the first layer and the "
     "scale, W_o, residual paths, LayerNorm and a softmax are added",
     .slides = {"B: Self-Attention: Single Head", "B: Self-Attention: Multi-Head",
                "B: Transformer-Based LM: Context Extractor",
                "B: Transformer-based LM: Context Extractor"},
     .quantity = "max |p of the lines in plain C - softmax of nn_gpt|",
     AT_MOST(1e-5, "the same sums in double and in float: probabilities rounded by some 1e-6"),
     .faults = {{"reread", "line 2 of SA_Head as printed: every layer reads the tokens again"},
                {"no-scale", "line 4 of SA_Head as printed: no 1 / sqrt(S)"},
                {"no-output", "line 4 of SelfAttention as printed: no W_o"},
                {"no-residual", "lines 2, 3 of TransformerDec as printed: no residual path"},
                {"no-norm", "lines 2, 3 of TransformerDec as printed: no LayerNorm"},
                {"no-softmax",
                 "line 3 of TransformerLM: an MLP whose softmax is not written down"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* All but the softmax, whose numbers would be no distribution. */
static bool draw_printed(const Sketch *s)
{
    enum { POINTS = 6, MODELS = 10 };
    static const double deviation[POINTS] = {0.05, 0.1, 0.2, 0.3, 0.45, 0.6};
    static double y[LINES][POINTS];
    PlotSeries series[LINES];
    int n = 0;
    for (int i = 0; i < LINES; i++) {
        for (int k = 0; k < POINTS; k++)
            y[i][k] = 0;
        if (lines[i].line != PRINTED_SOFTMAX)
            series[n++] = (PlotSeries){lines[i].label, deviation, y[i], POINTS};
    }
    for (int k = 0; k < POINTS; k++)
        for (int model = 0; model < MODELS; model++) {
            PrintedModel subject;
            bool ok = printed_begin(&subject, s->seed * 100 + (uint64_t)model);
            if (ok)
                scale_matrices(&subject, deviation[k] / 0.3);
            for (int i = 0; i < LINES; i++)
                y[i][k] += ok ? effect(&subject, lines[i].line, true) / MODELS : (double)NAN;
            printed_end(&subject);
        }
    const PlotCurves curves = {.series = series,
                               .count = n,
                               .title =
                                   sketch_title(s, "B's lines as printed, by the weights' size"),
                               .x_name = "deviation of the random weights",
                               .y_name = "change of p (total variation)",
                               .y_low = 0,
                               .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure algorithms_b_figures[] = {
    {39, "printed", draw_printed,
     .what = "how far each line of B, as printed, moves the next token's distribution, by the size "
             "of the weights"},
    {0},
};
