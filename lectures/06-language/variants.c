/* variants.c: two later models (row 47).          V "Next Two Lectures: Iterations of Transformers"
 *
 *   RoBERTa (Liu et al. 2019)  new masks in every epoch, where BERT (Devlin et al. 2018) drew ten of each text
 *   T5 (Raffel et al. 2020)    every task is text to text; a prefix says which one */
#include "examples/bert/model.h"
#include "lectures/06-language/pairs.h"

#include <string.h>

/* ---- RoBERTa: static and dynamic masks ------------------------------------------------------- */

enum {
    MASK_ID = LETTERS,
    IDS,
    TEXTS = 24,  /* texts to train on                                 */
    EPOCHS = 80, /* each a step over all of them                      */
    DRAWS = 12,  /* of texts                                          */
    KINDS = 3
};
/* Static masks, BERT's ten of each text in turn, and dynamic ones: how many each text has. */
static const int masks_of_text[KINDS] = {1, 10, EPOCHS};

static const BertConfig config = {
    .tokens = IDS, .classes = 2, .channels = 16, .heads = 2, .layers = 2, .longest = LENGTH};

/* The letter of text b that is masked in an epoch: a stream of random numbers for each text and
 * each of its masks. */
static int masked_letter(uint64_t seed, int b, int epoch, int masks)
{
    Rng rng = {.seed = seed, .stream = 7500 + (uint64_t)(b + epoch % masks * TEXTS)};
    return (int)rng_below(&rng, LENGTH);
}

static bool is_text(const int *texts, const int *x)
{
    bool found = false;
    for (int b = 0; b < TEXTS; b++)
        found |= memcmp(texts + b * LENGTH, x, LENGTH * sizeof *x) == 0;
    return found;
}

/* The mean of -log q(x_t | others) over all six positions, and over all sequences of the language
 * but the texts that were trained, weighed by p(x). */
static double held_out(const Bert *m, Tape *tape, const int *texts)
{
    enum { POSSIBLE = 96 }; /* 3 x 2^5 of the 729 have a probability above 0 */
    static int x[(POSSIBLE + 1) * LENGTH], ids[POSSIBLE * LENGTH];
    double loss = 0, weight = 0;
    int n = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        source_sequence(i, x + n * LENGTH);
        double p = source_p(x + n * LENGTH, LENGTH);
        if (p > 0 && !is_text(texts, x + n * LENGTH)) {
            weight += p;
            n++;
        }
    }
    tape->no_grad = true;
    for (int t = 0; t < LENGTH; t++) {
        for (int i = 0; i < n * LENGTH; i++)
            ids[i] = i % LENGTH == t ? MASK_ID : x[i];
        tape_reset(tape);
        Tensor *h = bert_hidden(m, tape_ids(tape, ids, shape2(n, LENGTH)), NULL);
        const Tensor *l = ag_log_softmax(bert_words(m, h));
        if (tensor_is_poison(l) || values_largest(l) == 0)
            return (double)NAN;
        for (int i = 0; i < n; i++)
            loss -= source_p(x + i * LENGTH, LENGTH) *
                    (double)l->data[(i * LENGTH + t) * IDS + x[i * LENGTH + t]] / LENGTH;
    }
    tape->no_grad = false;
    return loss / weight;
}

/* Held-out loss before the training, and after each fifth of it. */
enum { CHECKED = 6, FIFTH = EPOCHS / 5 };
static bool train_masked(uint64_t seed, int masks, double loss[CHECKED])
{
    int x[TEXTS * LENGTH], ids[TEXTS * LENGTH], targets[TEXTS * LENGTH];
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 751};
    Adam adam = {0};
    Bert m;
    bool ok = p && tape && bert_init(&m, p, config) && adam_init(&adam, p, 0.005);
    for (int b = 0; b < TEXTS; b++)
        source_draw(&rng, x + b * LENGTH);
    loss[0] = ok ? held_out(&m, tape, x) : (double)NAN;
    for (int epoch = 0; ok && epoch < EPOCHS; epoch++) {
        for (int i = 0; i < TEXTS * LENGTH; i++) {
            bool hidden = i % LENGTH == masked_letter(seed, i / LENGTH, epoch, masks);
            ids[i] = hidden ? MASK_ID : x[i];
            targets[i] = hidden ? x[i] : DATA_IGNORE;
        }
        tape_reset(tape);
        Tensor *h = bert_hidden(&m, tape_ids(tape, ids, shape2(TEXTS, LENGTH)), NULL);
        Tensor *y = tape_ids(tape, targets, shape2(TEXTS, LENGTH));
        ok = ag_backward(ag_cross_entropy_ignore(bert_words(&m, h), y, DATA_IGNORE)) &&
             adam_step(&adam, p);
        if ((epoch + 1) % FIFTH == 0)
            loss[(epoch + 1) / FIFTH] = held_out(&m, tape, x);
    }
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok;
}

typedef struct {
    Mean loss[KINDS][CHECKED];
    Mean gap; /* at the end, static - dynamic, draw by draw */
} Masks;

static const Masks *masks_of(uint64_t seed)
{
    static Masks m;
    static Made made;
    double loss[DRAWS][KINDS][CHECKED], each[KINDS][CHECKED][DRAWS];
    if (made_for(&made, seed))
        return &m;
    for (int d = 0; d < DRAWS; d++)
        for (int k = 0; k < KINDS; k++)
            made.is =
                train_masked(seed * 100 + (uint64_t)d, masks_of_text[k], loss[d][k]) && made.is;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < CHECKED; i++) {
            for (int d = 0; d < DRAWS; d++)
                each[k][i][d] = loss[d][k][i];
            m.loss[k][i] = values_mean(each[k][i], DRAWS);
        }
    m.gap = values_mean_difference(each[0][CHECKED - 1], each[KINDS - 1][CHECKED - 1], DRAWS);
    return made.is ? &m : NULL;
}

static double dynamic_masks(Trial *t)
{
    const Masks *m = masks_of(t->seed);
    if (!m)
        return (double)NAN;
    for (int i = 0; i < CHECKED; i++)
        explain(t,
                "after %3d epochs: held-out loss %.3f +- %.3f with one mask a text, %.3f +- %.3f "
                "with ten, %.3f +- %.3f with new ones",
                i * FIFTH, m->loss[0][i].mean, m->loss[0][i].error, m->loss[1][i].mean,
                m->loss[1][i].error, m->loss[2][i].mean, m->loss[2][i].error);
    explain(t, "gap at the end %.3f +- %.3f, twelve draws of %d texts", m->gap.mean, m->gap.error,
            TEXTS);
    return broken(t, "static") ? 0 : m->gap.mean / m->gap.error;
}

/* ---- T5: one model, three tasks -------------------------------------------------------------- */

enum { COPY, REVERSE, NEXT, TASKS, ANY = TASKS, UNNAMED, PHRASE = 5, T5_STEPS = 700 };
static const char *const task_names[TASKS] = {"copy", "reverse", "next letter"};

/* What a task makes of n letters. */
static void answer(int task, const int *letters, int *target, int n)
{
    for (int i = 0; i < n; i++)
        target[i] = task == COPY      ? letters[i]
                    : task == REVERSE ? letters[n - 1 - i]
                                      : (letters[i] + 1) % PAIR_LETTERS;
}

/* A prefix, which names the task, and letters. ANY: one of the three; UNNAMED: the same, but the
 * prefix is always that of the first. */
static void draw_task(Rng *rng, int *source, int *target, int n, int number)
{
    int task = number < TASKS ? number : (int)rng_below(rng, TASKS);
    source[0] = PAIR_BOS + 1 + (number == UNNAMED ? COPY : task);
    for (int i = 0; i < n; i++)
        source[i + 1] = (int)rng_below(rng, PAIR_LETTERS);
    answer(task, source + 1, target, n);
}

/* The share of letters that are right in each task, and UNNAMED. */
typedef struct {
    double right[UNNAMED + 1];
} Prefixes;

/* Trained once a seed on all three tasks. */
static const Prefixes *prefixes_of(uint64_t seed)
{
    static Prefixes r;
    static Made made;
    PairTask task = {PHRASE + 1, PHRASE, draw_task, ANY};
    Pairs m;
    if (made_for(&made, seed))
        return &r;
    Params *p = params_new(seed);
    made.is =
        p && pairs_model_init(&m, p, 32, MEMORY_ALL) && pairs_train(&m, p, &task, T5_STEPS, seed);
    for (task.number = COPY; made.is && task.number <= UNNAMED; task.number++)
        r.right[task.number] = pairs_right(&m, &task, false, seed);
    params_free(p);
    return made.is ? &r : NULL;
}

static double prefix(Trial *t)
{
    const Prefixes *r = prefixes_of(t->seed);
    double least = INFINITY;
    if (!r)
        return (double)NAN;
    for (int k = 0; k < TASKS; k++) {
        explain(t, "%-12s  %.3f of the letters right", task_names[k], r->right[k]);
        least = values_least(least, r->right[k]);
    }
    explain(t, "all three with the prefix of the first: %.3f", r->right[UNNAMED]);
    return broken(t, "no-prefix") ? r->right[UNNAMED] : least;
}

const Claim variants_claims[] = {
    {47, dynamic_masks,
     "24 texts, 80 epochs: with new masks in every epoch the loss on other texts ends lower than "
     "with one mask a text",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity =
         "loss on texts not trained on, one mask - new masks, in standard errors, twelve draws",
     AT_LEAST(5.5, "Student's t with 11 degrees of freedom is above 5.5 by chance once in 10,000"),
     .faults = {{"static", "static masks against static masks"}}},
    {47, prefix, "one model does three tasks; a prefix in its input says which",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "least share of letters right: copy, reverse, next letter",
     AT_LEAST(0.9, "copies for all three would be right in (1 + 0.3 + 0) / 3 = 0.43: of reversed "
                   "ones 1/5 + 4/5 x 1/8"),
     .faults = {{"no-prefix", "the same prefix for all tasks"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_dynamic(const Sketch *s)
{
    static double x[CHECKED], mean[KINDS][CHECKED], error[KINDS][CHECKED];
    static const char *const names[KINDS] = {"one mask a text, 2 standard errors",
                                             "ten masks a text, as BERT",
                                             "new masks in every epoch"};
    PlotSeries series[KINDS];
    const double *errors[KINDS];
    const Masks *m = masks_of(s->seed);
    if (!m)
        return false;
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < CHECKED; i++) {
            x[i] = i * FIFTH;
            mean[k][i] = m->loss[k][i].mean;
            error[k][i] = 2 * m->loss[k][i].error;
        }
        series[k] = (PlotSeries){names[k], x, mean[k], CHECKED};
        errors[k] = error[k];
    }
    return SKETCH_CURVES(s, "24 texts, again and again: the loss on others", series,
                         .errors = errors, .x_name = "epochs",
                         .y_name = "loss at a mask, texts not trained on (nats)");
}

const Figure variants_figures[] = {
    {47, "dynamic", draw_dynamic,
     .what = "loss on texts not trained on by epochs, with one mask a text, ten, and new ones"},
    {0},
};
