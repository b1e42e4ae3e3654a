/* algorithms_loops.c: B's two loops, training and generation (b.c), against the library's (row
 * 39). */
#include "lectures/06-language/language.h"

#include <string.h>

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
    PrintedModel lines, library, first;
    int data[DATA];
    double off = (double)NAN, eta = 0.01;
    for (int i = 0; i < DATA; i++)
        data[i] = (int)rng_below(trial_rng(t, 671), B_I);
    bool ok = printed_begin(&lines, t->seed);
    ok = printed_begin(&library, t->seed) && ok;
    ok = printed_begin(&first, t->seed) && ok;
    ok = ok && transformer_lm_train(&lines.gpt, lines.params, data, B_T, BATCH, STEPS, eta,
                                    !broken(t, "sum"));
    if (ok && steps_of_library(&library, data, eta * B_T)) {
        double moved = weights_apart(lines.params, first.params);
        off = moved > 0 ? weights_apart(lines.params, library.params) : off;
        explain(t, "%d steps of %d sequences: weights moved by up to %.3f, apart by %.2g", STEPS,
                BATCH, moved, off);
    }
    printed_end(&lines);
    printed_end(&library);
    printed_end(&first);
    return off;
}

/* ---- generation ------------------------------------------------------------------------------ */

enum { PROMPT = 3, NEW = B_T - PROMPT, TEXTS = 20 };

typedef struct {
    Gpt *gpt;
    Candidates candidates;
    Rng rng;
} Chooser;

static int choose(Chooser *c, const real *logits)
{
    Sampler sampler = {1, B_I, 1, &c->candidates, &c->rng};
    return nn_sample(&sampler, logits, B_I);
}

static int choose_by_p(void *context, const double *p)
{
    real logits[B_I];
    for (int i = 0; i < B_I; i++)
        logits[i] = (real)log(p[i]);
    return choose(context, logits);
}

static Tensor *chooser_logits(void *model, Tensor *ids, KVCache *cache)
{
    return nn_gpt_cached(((Chooser *)model)->gpt, ids, cache);
}

static int choose_by_logits(void *model, const real *logits, int64_t vocabulary)
{
    (void)vocabulary;
    return choose(model, logits);
}

/* Tokens of 20 texts that differ between B's lines and the library's loop with its cache, same
 * random numbers. */
static double generated_differently(Trial *t, Printed m, PrintedModel *s)
{
    Chooser c = {.gpt = &s->gpt};
    KVCache cache = {0};
    const Decoder d = {.logits = chooser_logits,
                       .model = &c,
                       .cache = &cache,
                       .end = -1,
                       .pick = choose_by_logits};
    int differ = 0;
    bool ok = nn_candidates_init(&c.candidates, B_I) && nn_gpt_cache(&s->gpt, &cache, 1);
    for (int i = 0; ok && i < TEXTS; i++) {
        int x[B_T], out[NEW];
        memcpy(x, s->x, sizeof x);
        c.rng = (Rng){.seed = t->seed + (uint64_t)i, .stream = 672};
        ok = transformer_lm_generation(&m, x, PROMPT, B_T, choose_by_p, &c);
        c.rng = (Rng){.seed = t->seed + (uint64_t)i, .stream = 672};
        ok = ok && nn_generate(s->tape, &d, s->x, NULL, PROMPT, out, NEW);
        for (int k = 0; ok && k < NEW; k++)
            differ += x[PROMPT + k] != out[k];
    }
    nn_cache_free(&cache);
    nn_candidates_free(&c.candidates);
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

const Claim algorithms_loops_claims[] = {
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
