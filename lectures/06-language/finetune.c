/* finetune.c: pre-trained, then tuned with few labels, against nothing (row 45).
 * Z "Encoder transformers"
 *
 * A language of 40 words in four classes of ten. After a word of class c comes one of class c + 1
 * (mod 4) with probability 0.8, of class c + 2 with 0.2; within a class all words are alike. So
 * which words belong together can be learned from texts without labels. The task: is the first word
 * of class 1 or 2? A label says so of a few sentences. */
#include "examples/bert/model.h"
#include "lectures/06-language/language.h"

#include <string.h>

enum {
    CLASSES = 4,
    EACH = 10,
    NOUNS = CLASSES * EACH,
    CLASS_ID = NOUNS,
    MASK_ID,
    IDS,
    WORDS_N = 6,
    T = WORDS_N + 1,
    BATCH = 64,
    PRETRAIN_STEPS = 800,
    TUNE_STEPS = 60,
    TESTED = 1000,
    SIZES = 3,
    REPEATS = 12
};
static const int sizes[SIZES] = {8, 32, 64}; /* labelled sentences */

static const BertConfig config = {
    .tokens = IDS, .classes = 2, .channels = 16, .heads = 2, .layers = 2, .longest = T};

/* <class> and six words; word w is of class w / EACH. */
static void draw_sentence(Rng *rng, int ids[T])
{
    int class = (int)rng_below(rng, CLASSES);
    ids[0] = CLASS_ID;
    for (int t = 1; t < T; t++) {
        ids[t] = class * EACH + (int)rng_below(rng, EACH);
        class = (class + (rng_uniform(rng) < 0.8 ? 1 : 2)) % CLASSES;
    }
}

static int label_of(const int ids[T])
{
    return ids[1] / EACH >= CLASSES / 2;
}

static bool pretrain(const Bert *m, Params *p, Tape *tape, uint64_t seed)
{
    int ids[BATCH * T], targets[BATCH * T];
    Rng rng = {.seed = seed, .stream = 720};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, 0.005);
    for (int step = 0; ok && step < PRETRAIN_STEPS; step++) {
        for (int b = 0; b < BATCH; b++) {
            int hidden = 1 + (int)rng_below(&rng, WORDS_N);
            draw_sentence(&rng, ids + b * T);
            for (int t = 0; t < T; t++)
                targets[b * T + t] = t == hidden ? ids[b * T + t] : DATA_IGNORE;
            ids[b * T + hidden] = MASK_ID;
        }
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 30, PRETRAIN_STEPS, 0.01, 0.0005);
        Tensor *hidden = bert_hidden(m, tape_ids(tape, ids, shape2(BATCH, T)), NULL);
        Tensor *y = tape_ids(tape, targets, shape2(BATCH, T));
        ok = ag_backward(ag_cross_entropy_ignore(bert_words(m, hidden), y, DATA_IGNORE)) &&
             adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* All weights of `from` into p, which has the same ones. */
static void copy_weights(const Params *from, Params *p)
{
    for (int i = 0; i < p->count; i++)
        memcpy(p->weight[i]->data, from->weight[i]->data,
               sizeof(real) * (size_t)tensor_size(p->weight[i]));
}

/* Tunes all weights with n labelled sentences, from `from` or from nothing. Returns the accuracy on
 * those of 1,000 sentences whose first word is the first word of no labelled one. */
static double tuned(const Params *from, uint64_t seed, int n, int draw)
{
    static int ids[TESTED * T], labels[TESTED];
    Params *p = params_new(seed * 100 + (uint64_t)draw);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed * 100 + (uint64_t)draw, .stream = 721};
    Adam adam = {0};
    Bert m;
    bool labelled[NOUNS] = {false};
    int right = 0, unlabelled = 0;
    bool ok = p && tape && bert_init(&m, p, config) && adam_init(&adam, p, 0.003);
    if (ok && from)
        copy_weights(from, p);
    for (int i = 0; i < n; i++) {
        draw_sentence(&rng, ids + i * T);
        labels[i] = label_of(ids + i * T);
        labelled[ids[i * T + 1]] = true;
    }
    for (int step = 0; ok && step < TUNE_STEPS; step++) {
        tape_reset(tape);
        Tensor *logits = bert_class(&m, bert_hidden(&m, tape_ids(tape, ids, shape2(n, T)), NULL));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, labels, shape1(n)))) &&
             adam_step(&adam, p);
    }
    for (int i = 0; i < TESTED; i++)
        draw_sentence(&rng, ids + i * T);
    tape_reset(tape);
    tape->no_grad = true;
    const Tensor *y = bert_class(&m, bert_hidden(&m, tape_ids(tape, ids, shape2(TESTED, T)), NULL));
    ok = ok && !tensor_is_poison(y) && values_largest(y) > 0;
    for (int i = 0; ok && i < TESTED; i++)
        if (!labelled[ids[i * T + 1]]) {
            right += (y->data[2 * i + 1] > y->data[2 * i]) == (label_of(ids + i * T) == 1);
            unlabelled++;
        }
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok ? (double)right / unlabelled : (double)NAN;
}

typedef struct {
    Params *params; /* pre-trained */
    Bert model;
    bool compared;
    Mean mean[2][SIZES]; /* 0: from nothing, 1: pre-trained    */
    Mean gain[SIZES];    /* with the same labels, draw by draw */
} Tuning;

/* Means over REPEATS draws of labels. */
static void compare(Tuning *c, uint64_t seed)
{
    for (int s = 0; s < SIZES; s++) {
        double x[2][REPEATS];
        for (int draw = 0; draw < REPEATS; draw++) {
            x[0][draw] = tuned(NULL, seed, sizes[s], draw);
            x[1][draw] = tuned(c->params, seed, sizes[s], draw);
        }
        c->mean[0][s] = values_mean(x[0], REPEATS);
        c->mean[1][s] = values_mean(x[1], REPEATS);
        c->gain[s] = values_mean_difference(x[1], x[0], REPEATS);
    }
    c->compared = true;
}

/* Pre-trained once a seed; compared where that is asked. */
static Tuning *tuning_of(uint64_t seed, bool compared)
{
    static Tuning c;
    static Made made;
    if (!made_for(&made, seed)) {
        params_free(c.params);
        c = (Tuning){.params = params_new(seed)};
        Tape *tape = tape_new(seed);
        made.is = c.params && tape && bert_init(&c.model, c.params, config) &&
                  pretrain(&c.model, c.params, tape, seed);
        tape_free(tape);
    }
    if (made.is && compared && !c.compared)
        compare(&c, seed);
    return made.is ? &c : NULL;
}

/* Words are first words of no labelled sentence with probability (39/40)^n: 0.82, 0.44, 0.20. */
static double few_labels(Trial *t)
{
    const Tuning *c = tuning_of(t->seed, true);
    if (!c)
        return (double)NAN;
    for (int s = 0; s < SIZES; s++)
        explain(
            t, "%3d labels: from nothing %.3f +- %.3f, pre-trained %.3f +- %.3f; gain %.3f +- %.3f",
            sizes[s], c->mean[0][s].mean, c->mean[0][s].error, c->mean[1][s].mean,
            c->mean[1][s].error, c->gain[s].mean, c->gain[s].error);
    return broken(t, "nothing") ? 0 : c->gain[1].mean / c->gain[1].error;
}

const Claim finetune_claims[] = {
    {45, few_labels,
     "of first words without a label, 32 labelled sentences teach a pre-trained model more than an "
     "untrained one",
     .slides = {"Z: Encoder transformers"},
     .quantity =
         "mean gain in accuracy on first words without a label, in standard errors, twelve draws",
     AT_LEAST(5.5, "Student's t with 11 degrees of freedom is above 5.5 by chance once in 10,000"),
     .faults = {{"nothing", "from nothing against from nothing"}}},
    {0},
};
