/* algorithms_b.c: B's algorithms (b.c) against the library, and what it does otherwise (row 39). */
#include "lectures/06-language/language.h"

#include <string.h>

/* A GPT of B's letters, not trained, with matrices of the deviation 0.3, and T + 1 tokens. */
typedef struct {
    Params *params;
    Gpt gpt;
    Tape *tape;
    int x[B_T + 1];
} PrintedModel;

static bool printed_begin(PrintedModel *s, uint64_t seed)
{
    GptConfig config = {.words = B_I, .longest = B_T, .channels = B_E, .heads = B_H, .layers = B_L};
    config.position = POSITION_LEARNED;
    Rng rng = {.seed = seed, .stream = 670};
    *s = (PrintedModel){.params = params_new(seed), .tape = tape_new(seed)};
    bool ok = s->params && s->tape && nn_gpt_init(&s->gpt, s->params, "", config);
    for (int i = 0; ok && i < s->params->count; i++) { /* nn_gpt_init's deviation is 0.02 */
        Tensor *w = s->params->weight[i];
        for (int64_t k = 0; w->shape.rank > 1 && k < tensor_size(w); k++)
            w->data[k] *= 15;
    }
    for (int t = 0; t <= B_T; t++)
        s->x[t] = (int)rng_below(&rng, B_I);
    return ok;
}

static void printed_end(PrintedModel *s)
{
    tape_free(s->tape);
    params_free(s->params);
}

/* The lines with which another p comes out, as faults. */
static const struct {
    const char *fault;
    PrintedLine line;
} lines[] = {{"reread", PRINTED_REREAD},    {"no-scale", PRINTED_SCALE},
             {"no-output", PRINTED_OUTPUT}, {"no-residual", PRINTED_RESIDUAL},
             {"no-norm", PRINTED_NORM},     {"no-softmax", PRINTED_SOFTMAX}};
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

/* ---- training -------------------------------------------------------------------------------- */

enum { BATCH = 4, STEPS = 3, DATA = STEPS * BATCH * (B_T + 1) };

/* The same steps by one pass over each batch and sgd_step. */
static bool steps_of_library(PrintedModel *s, const int *data, double rate)
{
    Sgd sgd;
    bool ok = sgd_init(&sgd, s->params, rate, 0, 0);
    for (int step = 0; ok && step < STEPS; step++) {
        int x[BATCH * B_T], y[BATCH * B_T];
        for (int i = 0; i < BATCH * B_T; i++) {
            const int *row = data + (step * BATCH + i / B_T) * (B_T + 1);
            x[i] = row[i % B_T];
            y[i] = row[i % B_T + 1];
        }
        tape_reset(s->tape);
        Tensor *logits = nn_gpt(&s->gpt, tape_ids(s->tape, x, shape2(BATCH, B_T)));
        Tensor *right = tape_ids(s->tape, y, shape2(BATCH, B_T));
        ok = ag_backward(ag_cross_entropy(logits, right)) && sgd_step(&sgd, s->params);
    }
    sgd_free(&sgd);
    return ok;
}

/* max |weight - weight| of two models. */
static double weights_apart(const Params *p, const Params *q)
{
    double worst = 0;
    for (int i = 0; i < p->count; i++)
        for (int64_t k = 0; k < tensor_size(p->weight[i]); k++)
            worst = values_worst(worst, fabs((double)p->weight[i]->data[k] -
                                             (double)q->weight[i]->data[k]));
    return worst;
}

/* B sums over t, the library's cross-entropy takes the mean: T times the rate. */
static double b_train(Trial *t)
{
    PrintedModel own, library, first;
    int data[DATA];
    double off = (double)NAN, eta = 0.01;
    for (int i = 0; i < DATA; i++)
        data[i] = (int)rng_below(trial_rng(t, 671), B_I);
    bool ok = printed_begin(&own, t->seed);
    ok = printed_begin(&library, t->seed) && ok;
    ok = printed_begin(&first, t->seed) && ok;
    ok = ok && transformer_lm_train(&own.gpt, own.params, data, B_T, BATCH, STEPS, eta,
                                    !broken(t, "sum"));
    if (ok && steps_of_library(&library, data, eta * B_T)) {
        double moved = weights_apart(own.params, first.params);
        off = moved > 0 ? weights_apart(own.params, library.params) : off;
        explain(t, "%d steps of %d sequences: weights moved by up to %.3f, apart by %.2g", STEPS,
                BATCH, moved, off);
    }
    printed_end(&own);
    printed_end(&library);
    printed_end(&first);
    return off;
}

/* ---- generation ------------------------------------------------------------------------------ */

enum { PROMPT = 3, NEW = B_T - PROMPT, TEXTS = 20 };

static int choose_by_p(void *sampler, const double *p)
{
    real logits[B_I];
    for (int i = 0; i < B_I; i++)
        logits[i] = (real)log(p[i]);
    return nn_sample(sampler, logits, B_I);
}

/* Tokens of 20 texts that differ between B's lines and the library's loop with its cache, same
 * random numbers. */
static double generated_differently(Trial *t, Printed m, PrintedModel *s)
{
    Rng rng;
    Candidates candidates = {0};
    KVCache cache = {0};
    Sampler sampler = {1, B_I, 1, &candidates, &rng};
    const Decoder d = {.logits = nn_gpt_cached,
                       .model = &s->gpt,
                       .cache = &cache,
                       .end = -1,
                       .pick = nn_sample,
                       .picker = &sampler};
    int differ = 0;
    bool ok = nn_candidates_init(&candidates, B_I) && nn_gpt_cache(&s->gpt, &cache, 1);
    for (int i = 0; ok && i < TEXTS; i++) {
        int x[B_T], out[NEW];
        memcpy(x, s->x, sizeof x);
        rng = (Rng){.seed = t->seed + (uint64_t)i, .stream = 672};
        ok = transformer_lm_generation(&m, x, PROMPT, B_T, choose_by_p, &sampler);
        rng = (Rng){.seed = t->seed + (uint64_t)i, .stream = 672};
        ok = ok && nn_generate(s->tape, &d, s->x, NULL, PROMPT, out, NEW);
        for (int k = 0; ok && k < NEW; k++)
            differ += x[PROMPT + k] != out[k];
    }
    nn_cache_free(&cache);
    nn_candidates_free(&candidates);
    return ok ? differ : (double)NAN;
}

static double b_generation(Trial *t)
{
    PrintedModel s;
    double meant = (double)NAN, printed = meant;
    if (printed_begin(&s, t->seed)) {
        Printed m = {.gpt = &s.gpt, .masked_decode = !broken(t, "no-mask")};
        meant = generated_differently(t, m, &s);
        m.printed = PRINTED_LENGTH;
        printed = generated_differently(t, m, &s);
        explain(t, "%d texts of %d + %d tokens: %g of %d tokens differ from nn_generate's", TEXTS,
                PROMPT, NEW, meant, TEXTS * NEW);
        explain(t, "line 3 as printed, x_(1:T-1) goes in: %g differ; %d rows come out, p_(2:T)",
                printed, B_T - 1);
    }
    printed_end(&s);
    return meant + printed;
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
    {39, b_train, "B's training loop is SGD on the mean loss, at T times the learning rate",
     .slides = {"B: Training Transformer-based LM"},
     .quantity = "max |weight by B's lines - weight by sgd_step| after 3 steps",
     AT_MOST(1e-5, "the same gradients, summed in another order; B sums over t, the library takes "
                   "the mean"),
     .faults = {{"sum", "opt_avg adds the sequences' gradients and does not divide"}}},
    {39, b_generation,
     "B's generation writes what nn_generate writes, also with its misprinted index T - 1",
     .slides = {"B: Generation via Transformer-based LMs"},
     .quantity = "tokens that differ, of 180 as meant and 180 as printed, same random numbers",
     EXACTLY(0, "the same distributions to 1e-6; p_(T+1), the row that is missing, is never read"),
     .faults = {{"no-mask", "without masked decoding each token sees the empty ones"}}},
    {0},
};
