/* algorithms_b.c: B's algorithms (b.c) against the library, and the effect of each slip (row 39). */
#include "lectures/06-language/language.h"

#include <string.h>

/* A GPT of B's letters, not trained; matrices of the deviation 0.3. */
typedef struct {
    Params *params;
    Gpt gpt;
    Tape *tape;
    int x[B_T + 1];
} Subject;

static bool subject_begin(Subject *s, uint64_t seed)
{
    const GptConfig config = {.words = B_I,
                              .longest = B_T,
                              .channels = B_E,
                              .heads = B_H,
                              .layers = B_L,
                              .position = POSITION_LEARNED};
    Rng rng = {.seed = seed, .stream = 670};
    *s = (Subject){.params = params_new(seed), .tape = tape_new(seed)};
    bool ok = s->params && s->tape && gpt_init(&s->gpt, s->params, config);
    for (int i = 0; ok && i < s->params->count; i++) /* gpt_init's deviation is 0.02 */
        for (int64_t k = 0; k < tensor_size(s->params->weight[i]); k++)
            s->params->weight[i]->data[k] *= s->params->weight[i]->shape.rank > 1 ? 15 : 1;
    for (int t = 0; t <= B_T; t++)
        s->x[t] = (int)rng_below(&rng, B_I);
    return ok;
}

static void subject_end(Subject *s)
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
static double against_library(Subject *s, const Printed *m)
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
    Subject s;
    double off = (double)NAN;
    if (subject_begin(&s, t->seed)) {
        Printed m = {.gpt = &s.gpt, .masked_decode = true};
        for (int i = 0; i < SLIPS; i++)
            m.printed |= broken(t, slips[i].fault) ? slips[i].slip : 0;
        off = against_library(&s, &m);
        explain(t, "%d tokens, %d words, %d heads, %d layers: max |p - library's p| = %.2g", B_T,
                B_I, B_H, B_L, off);
    }
    subject_end(&s);
    return off;
}

const Claim claim_b_forward = {
    .row = 39,
    .statement = "B's SA_Head, SelfAttention, TransformerDec and TransformerLM, as meant: a GPT",
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
static double effect(const Subject *s, unsigned printed, bool masked)
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
    Subject s;
    double least = (double)NAN;
    if (subject_begin(&s, t->seed)) {
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
    subject_end(&s);
    return least;
}

const Claim claim_b_effects = {
    .row = 39,
    .statement = "six slips of B's lines, as printed, each change what comes out",
    .slides = {"B: Self-Attention: Single Head", "B: Self-Attention: Multi-Head",
               "B: Transformer-Based LM: Context Extractor",
               "B: Transformer-based LM: Context Extractor"},
    .quantity = "least change of the next token's distribution (total variation, mean over tokens)",
    AT_LEAST(0.01),
    .why = "a thousand times what rounding does",
    .faults = {{"as-meant", "the lines as they are meant"}},
    .measure = b_effects,
};

static double b_one_loop(Trial *t)
{
    Subject s;
    double off = (double)NAN;
    if (subject_begin(&s, t->seed)) {
        double masked = effect(&s, SLIP_ONE_LOOP, true), all = effect(&s, SLIP_ONE_LOOP, false);
        explain(t,
                "later keys not computed yet: changes p by %.3g with masked decoding, %.3f without",
                masked, all);
        off = broken(t, "encoding") ? all : masked;
        off = all > 0 ? off : (double)NAN;
    }
    subject_end(&s);
    return off;
}

const Claim claim_b_one_loop = {
    .row = 39,
    .statement = "slip: SA_Head needs keys that its loop has not computed; masked, it is harmless",
    .slides = {"B: Self-Attention: Single Head", "B: Masked Decoding"},
    .quantity = "change of p where keys of later tokens are still 0",
    EXACTLY(0),
    .why = "line 6 sets every score of a later token to -infinity; in an encoder none is",
    .faults = {{"encoding", "masked_decode is false, as in an encoder"}},
    .measure = b_one_loop,
    .holds_on_nan = "plain C; no kernel is run",
    .holds_on_zeros = "plain C; no kernel is run",
};

/* ---- training ------------------------------------------------------------------------------------------------------------ */

/* Three steps by B's lines, and three by one pass over the batch and sgd_step with T times the rate: B sums over t, the
 * library's cross-entropy takes the mean. */
static double b_train(Trial *t)
{
    enum { BATCH = 4, STEPS = 3, DATA = STEPS * BATCH * (B_T + 1) };
    Subject s, other;
    int data[DATA];
    Rng rng = {.seed = t->seed, .stream = 671};
    double worst = (double)NAN, moved = 0, eta = 0.01;
    for (int i = 0; i < DATA; i++)
        data[i] = (int)rng_below(&rng, B_I);
    bool both = subject_begin(&s, t->seed);
    both = subject_begin(&other, t->seed) && both;
    if (both &&
        transformer_lm_train(&s.gpt, s.params, data, B_T, BATCH, STEPS, eta, !broken(t, "sum"))) {
        Sgd sgd;
        bool ok = sgd_init(&sgd, other.params, eta * B_T, 0, 0);
        for (int step = 0; ok && step < STEPS; step++) {
            int x[BATCH * B_T], y[BATCH * B_T];
            for (int i = 0; i < BATCH * B_T; i++) {
                const int *row = data + (step * BATCH + i / B_T) * (B_T + 1);
                x[i] = row[i % B_T];
                y[i] = row[i % B_T + 1];
            }
            tape_reset(other.tape);
            Tensor *logits = gpt_logits(&other.gpt, tape_ids(other.tape, x, shape2(BATCH, B_T)));
            ok = ag_backward(
                     ag_cross_entropy(logits, tape_ids(other.tape, y, shape2(BATCH, B_T)))) &&
                 sgd_step(&sgd, other.params);
        }
        sgd_free(&sgd);
        worst = ok ? 0 : worst;
        Subject first;
        ok = subject_begin(&first, t->seed) && ok;
        for (int i = 0; ok && i < s.params->count; i++)
            for (int64_t k = 0; k < tensor_size(s.params->weight[i]); k++) {
                double w = (double)s.params->weight[i]->data[k];
                worst = values_worst(worst, fabs(w - (double)other.params->weight[i]->data[k]));
                moved = values_worst(moved, fabs(w - (double)first.params->weight[i]->data[k]));
            }
        subject_end(&first);
        explain(t, "%d steps of %d sequences: weights moved by up to %.3f, apart by %.2g", STEPS,
                BATCH, moved, worst);
    }
    subject_end(&s);
    subject_end(&other);
    return moved > 0 ? worst : (double)NAN;
}

const Claim claim_b_train = {
    .row = 39,
    .statement = "B's training loop is SGD on the mean loss, at T times the learning rate",
    .slides = {"B: Training Transformer-based LM"},
    .quantity = "max |weight by B's lines - weight by sgd_step| after 3 steps",
    AT_MOST(1e-5),
    .why = "the same gradients, summed in another order; B sums over t, the library takes the mean",
    .faults = {{"sum", "opt_avg adds the sequences' gradients and does not divide"}},
    .measure = b_train,
};

/* ---- generation -------------------------------------------------------------------------------------------------------------- */

enum { PROMPT = 3, NEW = B_T - PROMPT, TEXTS = 20 };

typedef struct {
    Gpt *gpt;
    Candidates candidates;
    Rng rng;
} Chooser;

static int choose(Chooser *c, const real *logits)
{
    const Sampler sampler = {1, B_I, 1, &c->candidates, &c->rng};
    return nn_sample(&sampler, logits);
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
    return gpt_logits_cached(((Chooser *)model)->gpt, ids, cache);
}

static int choose_by_logits(void *model, const real *logits, int64_t vocabulary)
{
    (void)vocabulary;
    return choose(model, logits);
}

/* Tokens of 20 texts that differ between B's lines and the library's loop with its cache, same random numbers. */
static double generated_differently(Trial *t, Printed m, Subject *s)
{
    Chooser c = {.gpt = &s->gpt};
    KVCache cache = {0};
    const Decoder d = {chooser_logits, &c, &cache, -1, choose_by_logits};
    int differ = 0;
    bool ok = nn_candidates_init(&c.candidates, B_I) && gpt_cache(&s->gpt, &cache, 1);
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
    Subject s;
    double differ = (double)NAN;
    if (subject_begin(&s, t->seed)) {
        Printed m = {.gpt = &s.gpt, .masked_decode = !broken(t, "no-mask"), .empty = B_I - 1};
        differ = generated_differently(t, m, &s);
        explain(t, "%d texts of %d + %d tokens: %g of %d tokens differ from nn_generate's", TEXTS,
                PROMPT, NEW, differ, TEXTS * NEW);
        m.printed = SLIP_LENGTH;
        explain(t, "line 3 as printed, x_(1:T-1) goes in: %g differ; %d rows come out, p_(2:T)",
                generated_differently(t, m, &s), B_T - 1);
    }
    subject_end(&s);
    return differ;
}

const Claim claim_b_generation = {
    .row = 39,
    .statement = "B's generation writes what nn_generate writes, its slip in T - 1 included",
    .slides = {"B: Generation via Transformer-based LMs"},
    .quantity = "tokens of 180 that differ, same random numbers",
    EXACTLY(0),
    .why = "the same distributions to 1e-6; p_(T+1), the row that is missing, is never read",
    .faults = {{"no-mask", "without masked decoding each token sees the empty ones"}},
    .measure = b_generation,
};

/* How much p_(t+1) depends on the token that stands for nothing. */
static double b_empty(Trial *t)
{
    static double p[B_T * B_I], q[B_T * B_I];
    Subject s;
    double off = (double)NAN;
    if (subject_begin(&s, t->seed)) {
        Printed m = {.gpt = &s.gpt, .masked_decode = !broken(t, "no-mask")};
        int x[B_T], y[B_T];
        for (int i = 0; i < B_T; i++) {
            x[i] = i < PROMPT ? s.x[i] : 0; /* as printed: 0, which is a word as well */
            y[i] = i < PROMPT ? s.x[i] : B_I - 1;
        }
        transformer_lm(&m, x, B_T, p);
        transformer_lm(&m, y, B_T, q);
        off = 0;
        for (int i = 0; i < PROMPT * B_I; i++)
            off = values_worst(off, fabs(p[i] - q[i]));
        explain(t, "%d tokens, then word 0 or word %d for nothing: p changes by %.3g", PROMPT,
                B_I - 1, off);
    }
    subject_end(&s);
    return off;
}

const Claim claim_b_empty = {
    .row = 39,
    .statement = "slip: nothing is 0, and so is a word; masked, it makes no difference",
    .slides = {"B: Generation via Transformer-based LMs"},
    .quantity = "max change of p of the first 3 tokens, where the empty ones are another word",
    EXACTLY(0),
    .why = "no earlier token sees them",
    .faults = {{"no-mask", "without masked decoding"}},
    .measure = b_empty,
    .holds_on_nan = "plain C; no kernel is run",
    .holds_on_zeros = "plain C; no kernel is run",
};

/* ---- figure ---------------------------------------------------------------------------------------------------------------------- */

/* All but the softmax: numbers that are no probabilities have no distance from a distribution. */
static bool draw_slips(const Sketch *s)
{
    static const char *names[SLIPS];
    static double values[SLIPS];
    Subject subject;
    bool ok = subject_begin(&subject, s->seed);
    int n = 0;
    for (int i = 0; ok && i < SLIPS; i++)
        if (slips[i].slip != SLIP_SOFTMAX) {
            names[n] = slips[i].label;
            values[n++] = effect(&subject, slips[i].slip, true);
        }
    names[n] = "later keys missing";
    values[n++] = ok ? effect(&subject, SLIP_ONE_LOOP, true) : 0;
    subject_end(&subject);
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
