/* assistant.c: a text completer becomes one that answers (row 44).
 * B "Ready for LLMs!": "isn't this simply a text completer?"
 *
 * Texts of 24 words: half of them are chains, in which word x is followed by its successor s(x)
 * with probability 0.8; the others are lists of questions, "? x ? y ? z ...". So the model learns
 * what follows x, and that a question is followed by another one. Then a hundred supervised steps
 * on "? x s(x)", for half of the words. */
#include "lectures/06-language/language.h"

#include <string.h>

enum {
    WORDS_K = 24,
    QUESTION = WORDS_K,
    IDS,
    T = 12,
    BATCH = 32,
    COMPLETER_STEPS = 500,
    SUPERVISED = 100,
    TAUGHT = WORDS_K / 2
};

typedef struct {
    int successor[WORDS_K];                      /* a permutation */
    double before, taught, others, from_nothing; /* shares of questions that are answered */
    double asks_before, asks_taught;             /* and followed by another question      */
} Assistant;

static const GptConfig config = {.words = IDS,
                                 .longest = T + 1,
                                 .channels = 32,
                                 .heads = 2,
                                 .layers = 2,
                                 .position = POSITION_LEARNED};

static void draw_text(const Assistant *a, Rng *rng, int *x)
{
    bool questions = rng_bits(rng) & 1;
    for (int t = 0; t <= T; t++) {
        bool any = t == 0 || questions || rng_uniform(rng) >= 0.8;
        x[t] = any ? (int)rng_below(rng, WORDS_K) : a->successor[x[t - 1]];
        if (questions && t % 2 == 0)
            x[t] = QUESTION;
    }
}

/* Of the words first .. first + n - 1: the share of questions "? x" after which s(x) is the
 * likeliest token; and, unless NULL, of those after which "?" is. */
static double answered(const Gpt *m, Tape *tape, const Assistant *a, int first, int n, double *asks)
{
    int ids[2 * WORDS_K], right = 0, again = 0;
    for (int i = 0; i < n; i++) {
        ids[2 * i] = QUESTION;
        ids[2 * i + 1] = first + i;
    }
    tape->no_grad = true;
    tape_reset(tape);
    const Tensor *y = nn_gpt(m, tape_ids(tape, ids, shape2(n, 2)));
    tape->no_grad = false;
    if (asks)
        *asks = (double)NAN;
    if (tensor_is_poison(y) || !(values_largest(y) > 0))
        return (double)NAN;
    for (int i = 0; i < n; i++) {
        int next = nn_greedy(y->data + (2 * i + 1) * IDS, IDS);
        right += next == a->successor[first + i];
        again += next == QUESTION;
    }
    if (asks)
        *asks = (double)again / n;
    return (double)right / n;
}

static bool complete(const Gpt *m, Params *p, Tape *tape, const Assistant *a, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 770};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, 0.01);
    for (int step = 0; ok && step < COMPLETER_STEPS; step++) {
        int x[T + 1], in[BATCH * T], y[BATCH * T];
        for (int b = 0; b < BATCH; b++) {
            draw_text(a, &rng, x);
            memcpy(in + b * T, x, T * sizeof *x);
            memcpy(y + b * T, x + 1, T * sizeof *x);
        }
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, COMPLETER_STEPS, 0.01, 0.0005);
        Tensor *logits = nn_gpt(m, tape_ids(tape, in, shape2(BATCH, T)));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, y, shape2(BATCH, T)))) &&
             adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* The loss is that of the answer alone, for words 0 .. TAUGHT - 1. */
static bool supervise(const Gpt *m, Params *p, Tape *tape, const Assistant *a, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 771};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, 0.001);
    for (int step = 0; ok && step < SUPERVISED; step++) {
        int in[BATCH * 2], y[BATCH * 2];
        for (int b = 0; b < BATCH; b++) {
            int x = (int)rng_below(&rng, TAUGHT);
            in[2 * b] = QUESTION, in[2 * b + 1] = x;
            y[2 * b] = -100, y[2 * b + 1] = a->successor[x];
        }
        tape_reset(tape);
        Tensor *logits = nn_gpt(m, tape_ids(tape, in, shape2(BATCH, 2)));
        ok = ag_backward(
                 ag_cross_entropy_ignore(logits, tape_ids(tape, y, shape2(BATCH, 2)), -100)) &&
             adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* Pre-trained or from nothing, then supervised; before and after. */
static bool run(Assistant *a, uint64_t seed, bool pretrained)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Gpt m;
    bool ok = p && tape && nn_gpt_init(&m, p, "", config) &&
              (!pretrained || complete(&m, p, tape, a, seed));
    if (ok && pretrained)
        a->before = answered(&m, tape, a, 0, WORDS_K, &a->asks_before);
    ok = ok && supervise(&m, p, tape, a, seed);
    if (ok && pretrained) {
        a->taught = answered(&m, tape, a, 0, TAUGHT, &a->asks_taught);
        a->others = answered(&m, tape, a, TAUGHT, WORDS_K - TAUGHT, NULL);
    } else if (ok) {
        a->from_nothing = answered(&m, tape, a, TAUGHT, WORDS_K - TAUGHT, NULL);
    }
    tape_free(tape);
    params_free(p);
    return ok;
}

static const Assistant *assistant_of(Trial *t)
{
    static Assistant a;
    static Made made;
    Rng rng = {.seed = t->seed, .stream = 772};
    if (!made_for(&made, t->seed)) {
        for (int k = 0; k < WORDS_K; k++)
            a.successor[k] = k;
        rng_shuffle(&rng, a.successor, WORDS_K);
        made.is = run(&a, t->seed, true) && run(&a, t->seed, false);
    }
    explain(t,
            "pre-trained on texts alone: %.3f of the questions answered, %.3f followed by another",
            a.before, a.asks_before);
    explain(t, "after %d supervised steps: %.3f of the words in them, %.3f of the other words",
            SUPERVISED, a.taught, a.others);
    explain(t, "the same steps from nothing: %.3f of the other words; chance 1/24 = %.3f",
            a.from_nothing, 1.0 / WORDS_K);
    return made.is ? &a : NULL;
}

static double not_assistant(Trial *t)
{
    const Assistant *a = assistant_of(t);
    return !a ? (double)NAN : 1 - (broken(t, "supervised") ? a->asks_taught : a->asks_before);
}

static double supervised(Trial *t)
{
    const Assistant *a = assistant_of(t);
    return !a ? (double)NAN : broken(t, "nothing") ? a->from_nothing : a->others;
}

const Claim assistant_claims[] = {
    {44, not_assistant,
     "a pre-trained model continues a question with another question, as its texts do",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "share of 24 questions after which \"?\" is not the likeliest token",
     AT_MOST(0.1, "in its texts a question is always followed by another one; two of 24 may be "
                  "chance"),
     .faults = {{"supervised", "after a hundred supervised steps, the words in them"}}},
    {44, supervised,
     "a hundred supervised steps make a pre-trained model answer, also about words that they did "
     "not have",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "share answered of 12 words that were in no supervised step",
     AT_LEAST(0.5, "it knew the answers from its texts: chance is 1/24, six of 12 by chance once "
                   "in 10^5"),
     .faults = {{"nothing", "the same steps from nothing"}}},
    {0},
};
