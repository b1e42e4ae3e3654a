/* twins.c: the same words in another order (row 10).
 *
 *   I do not like apples and you like oranges / you like apples and I do not like oranges         V
 *   The food was bad, not good at all / The food was good, not bad at all                         Z
 *
 * Such twins have one bag of words and opposite labels. A text classifier (examples/classify)
 * learns a small grammar of them, once with a positional encoding and once without, and is asked
 * about twins that it has not seen. */
#include "lectures/03-position/position.h"

#include "examples/classify/model.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS_MAX = 40,
    LONGEST = 9, /* words of a sentence                     */
    V_TWINS = 216,
    Z_TWINS = 64,
    TWINS = V_TWINS + Z_TWINS,
    HELD_OUT = 70, /* a quarter of them; 0 and 1 are the slides' own */
    BATCH = 32,
    STEPS = 300,
    WIDTH = 32
};

/* Two sentences of the same words. Label 1: an orange, a lemon or a lime is liked; the food, the
 * wine ... is good. The first sentence has label `label`, the second the other one. */
typedef struct {
    int word[2][LONGEST], length, label;
} Twin;

typedef struct {
    const char *word[WORDS_MAX];
    int words;
    Twin twin[TWINS];
    int order[TWINS]; /* the held-out ones first */
} Corpus;

static int word_id(Corpus *c, const char *word)
{
    int i = 0;
    while (i < c->words && strcmp(c->word[i], word) != 0)
        i++;
    if (i == c->words)
        c->word[c->words++] = word;
    return i;
}

/* Words between spaces, one sentence of the twin. */
static void add_words(Corpus *c, Twin *t, int which, const char *const *words, int n)
{
    t->length = n;
    for (int i = 0; i < n; i++)
        t->word[which][i] = word_id(c, words[i]);
}

static const char *const people[] = {"I", "you", "we", "they"};
static const char *const fruits[2][3] = {{"apples", "pears", "plums"},
                                         {"oranges", "lemons", "limes"}};
static const char *const things[] = {"food", "wine", "room", "view"};
static const char *const praise[] = {"good", "fine", "nice", "lovely"}, *const blame[] = {"bad",
                                                                                          "poor",
                                                                                          "awful",
                                                                                          "dull"};

/* P do not like F and Q like G; its twin: Q like F and P do not like G. f: the kind of F, 0 or
 * 1. */
static void like_twin(Corpus *c, Twin *t, const char *p, const char *q, const char *first,
                      const char *second, int f)
{
    const char *const one[] = {p, "do", "not", "like", first, "and", q, "like", second};
    const char *const two[] = {q, "like", first, "and", p, "do", "not", "like", second};
    add_words(c, t, 0, one, 9);
    add_words(c, t, 1, two, 9);
    t->label = 1 - f;
}

/* The N was X not Y at all; its twin: The N was Y not X at all. */
static void food_twin(Corpus *c, Twin *t, const char *thing, const char *bad, const char *good)
{
    const char *const one[] = {"The", thing, "was", bad, "not", good, "at", "all"};
    const char *const two[] = {"The", thing, "was", good, "not", bad, "at", "all"};
    add_words(c, t, 0, one, 8);
    add_words(c, t, 1, two, 8);
    t->label = 0;
}

/* All twins of the grammar; the slides' own are held out, and a quarter of the others. */
static void corpus_make(Corpus *c, uint64_t seed)
{
    int n = 0, of_slides[2] = {0, V_TWINS};
    Rng rng = {.seed = seed, .stream = 100};
    *c = (Corpus){0};
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            for (int a = 0; a < 3 && p != q; a++)
                for (int b = 0; b < 3; b++)
                    for (int f = 0; f < 2; f++) {
                        if (p == 0 && q == 1 && a == 0 && b == 0 && f == 0)
                            of_slides[0] = n;
                        like_twin(c, &c->twin[n++], people[p], people[q], fruits[f][f ? b : a],
                                  fruits[1 - f][f ? a : b], f);
                    }
    for (int i = 0; i < Z_TWINS; i++)
        food_twin(c, &c->twin[n++], things[i / 16], blame[i / 4 % 4], praise[i % 4]);
    for (int i = 0; i < TWINS; i++)
        c->order[i] = i;
    rng_shuffle(&rng, c->order, TWINS);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TWINS; i++)
            if (c->order[i] == of_slides[k]) {
                c->order[i] = c->order[k];
                c->order[k] = of_slides[k];
            }
}

/* ---- the classifier -------------------------------------------------------------------------- */

/* How the sentences are read: without a positional encoding, or with one. SORTED: the words come
 * sorted by their ids, which is the same order for both sentences of a twin. */
typedef enum { WITHOUT, WITH, SORTED, READINGS } How;

/* What is kept of a trained one. */
typedef struct {
    double p[HELD_OUT][2];      /* probability of label 1, of each sentence of each held-out twin */
    double margin[HELD_OUT][2]; /* logit of the right label less that of the wrong one            */
    double loss[2];             /* of the first step, and the mean of the last 20                 */
} Answers;

static int by_id(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Logits (B, 2) of sentences, padded to LONGEST. sentence[b]: 2 twin + which. */
static Tensor *ask(const Classifier *m, How how, Tape *tape, const Corpus *c, const int *sentence,
                   int B, int *label)
{
    int ids[BATCH * LONGEST] = {0}, lengths[BATCH];
    for (int b = 0; b < B; b++) {
        const Twin *t = &c->twin[sentence[b] / 2];
        int *row = ids + b * LONGEST, which = sentence[b] % 2;
        lengths[b] = t->length;
        label[b] = which ? 1 - t->label : t->label;
        memcpy(row, t->word[which], (size_t)t->length * sizeof *row);
        if (how == SORTED)
            qsort(row, (size_t)t->length, sizeof *row, by_id);
    }
    tape_reset(tape);
    return classifier_logits(m, tape_ids(tape, ids, shape2(B, LONGEST)),
                             tape_ids(tape, lengths, shape1(B)));
}

static void learn(const Classifier *m, How how, Params *p, Tape *tape, const Corpus *c, Rng *rng,
                  double loss[2])
{
    int sentence[BATCH], label[BATCH];
    Adam adam;
    adam_init(&adam, p, 3e-3);
    for (int step = 0; step < STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 3e-3, 0);
        for (int b = 0; b < BATCH; b++)
            sentence[b] = 2 * c->order[HELD_OUT + (int)rng_below(rng, TWINS - HELD_OUT)] +
                          (int)rng_below(rng, 2);
        Tensor *logits = ask(m, how, tape, c, sentence, BATCH, label);
        Tensor *now = ag_cross_entropy(logits, tape_ids(tape, label, shape1(BATCH)));
        ag_backward(now);
        adam_step(&adam, p);
        if (step == 0)
            loss[0] = (double)tensor_item(now);
        loss[1] += step >= STEPS - 20 ? (double)tensor_item(now) / 20 : 0;
    }
    adam_free(&adam);
}

static bool begin(Classifier *m, Params *p, const Corpus *c, How how)
{
    ClassifierConfig config = {.words = c->words,
                               .classes = 2,
                               .channels = WIDTH,
                               .heads = 4,
                               .layers = 1,
                               .longest = LONGEST,
                               .position = how == WITHOUT ? POSITION_NONE : POSITION_SINUSOIDAL,
                               .pool = POOL_MEAN};
    return classifier_init(m, p, config);
}

/* Asks about both sentences of each held-out twin. NaN where no logit was computed. */
static void ask_held_out(const Classifier *m, How how, Tape *tape, const Corpus *c, Answers *a)
{
    for (int i = 0; i < HELD_OUT; i++)
        for (int which = 0; which < 2; which++) {
            int label, sentence = 2 * c->order[i] + which;
            const Tensor *logits = ask(m, how, tape, c, &sentence, 1, &label);
            bool computed = values_largest(logits) > 0;
            double margin =
                computed ? (double)logits->data[1] - (double)logits->data[0] : (double)NAN;
            a->margin[i][which] = label ? margin : -margin;
            a->p[i][which] = 1 / (1 + exp(-margin));
        }
}

/* The answers of a classifier that was trained so: trained once for each seed. */
static const Answers *answers_of(uint64_t seed, How how)
{
    static Answers answers[READINGS];
    static Made done[READINGS];
    static Corpus c;
    if (made_for(&done[how], seed))
        return &answers[how];
    Classifier m;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 101};
    Answers *a = &answers[how];
    *a = (Answers){0};
    corpus_make(&c, seed);
    done[how].is = p && tape && begin(&m, p, &c, how);
    if (done[how].is) {
        learn(&m, how, p, tape, &c, &rng, a->loss);
        ask_held_out(&m, how, tape, &c, a);
    }
    tape_free(tape);
    params_free(p);
    return a;
}

/* The share of held-out sentences that are answered rightly. Where a margin is below the rounding
 * of logits, a twin counts one right answer of two. */
static double share_right(Trial *t, How how)
{
    static const char *const ways[] = {"without an encoding", "with sinusoids",
                                       "with sinusoids, the words sorted"};
    const Answers *a = answers_of(t->seed, how);
    double right = 0;
    for (int i = 0; i < HELD_OUT; i++) {
        double first = a->margin[i][0], second = a->margin[i][1];
        if (isnan(first + second))
            return (double)NAN;
        bool undecided = fabs(first) < 1e-5 || fabs(second) < 1e-5;
        right += undecided ? 1 : (first > 0) + (second > 0);
    }
    explain(t, "%s: loss %.3f at first, %.3f at last; %.0f of %d held-out sentences right",
            ways[how], a->loss[0], a->loss[1], right, 2 * HELD_OUT);
    return right / (2 * HELD_OUT);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static double same_bag(Trial *t)
{
    const Answers *a = answers_of(t->seed, broken(t, "encoding") ? WITH : WITHOUT);
    double most = 0;
    for (int i = 0; i < HELD_OUT; i++)
        most = values_worst(most, fabs(a->p[i][0] - a->p[i][1]));
    explain(t, "V: p(an orange is liked) = %.7f and %.7f", a->p[0][0], a->p[0][1]);
    explain(t, "Z: p(the food is good)   = %.7f and %.7f", a->p[1][0], a->p[1][1]);
    explain(t, "%d twins: max |p - p'| = %.2g", HELD_OUT, most);
    return most;
}

static double twins_apart(Trial *t)
{
    return share_right(t, broken(t, "sorted") ? SORTED : broken(t, "no-encoding") ? WITHOUT : WITH);
}

const Claim twins_claims[] = {
    {10, same_bag, "without an encoding, the same words in another order get the same answer",
     .slides = {"V: What about the order?", "Z: Positional encoding"},
     .quantity = "max |p(label 1) - p(label 1)| of a sentence and its twin, 70 twins",
     AT_MOST(1e-5, "the same terms are added in another order: rounding of numbers near 1, some "
                   "1e-7 each"),
     .faults = {{"encoding", "sinusoids are added to the words"}}},
    {10, twins_apart,
     "with a positional encoding a classifier tells sentences of the same words in two orders "
     "apart",
     .slides = {"V: What about the order?", "Z: Positional encoding"},
     .quantity = "share of right answers to 140 held-out sentences, 70 twins",
     AT_LEAST(0.99, "one wrong answer of 140 is left for words that were rarely seen together"),
     .faults = {{"no-encoding", "nothing is added to the words"},
                {"sorted",
                 "the words come sorted by their ids: both sentences of a twin are one"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_twins(const Sketch *s)
{
    static const char *const sentences[] = {"I do not ... you like", "you like ... I do not",
                                            "bad, not good at all", "good, not bad at all"};
    static const char *const columns[] = {"no encoding", "sinusoids"};
    real p[4 * 2];
    for (int i = 0; i < 4 * 2; i++)
        p[i] = (real)answers_of(s->seed, i % 2 ? WITH : WITHOUT)->p[i / 2 / 2][i / 2 % 2];
    Tensor *map = tensor_from(p, shape2(4, 2));
    const PlotHeatmap h = {.map = map,
                           .rows = sentences,
                           .columns = columns,
                           .title = sketch_title(s, "Are oranges liked?  Is the food good?"),
                           .row_name = "",
                           .column_name = "",
                           .scale = {.low = 0, .high = 1, .name = "probability of yes"},
                           .values = true};
    bool ok = plot_heatmap(s->stem, &h, s->formats);
    tensor_free(map);
    return ok;
}

const Figure twins_figures[] = {
    {10, "twins", draw_twins,
     .what = "the same words in another order get the same answer, until positions are added"},
    {0},
};
