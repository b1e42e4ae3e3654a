/* pretrained.c: vectors that were trained on text without labels, in a classifier with few labels
 * (row 7).
 *
 *   "E is the embedding matrix, and can be pre-trained or learned end-to-end"  V "Word to Word Embedding"
 *
 * Is a word a capital, a country, a language or a currency? Of the six words of each class some
 * have a label; the others are asked for. By row 6, end-to-end training never moves a word without
 * a label. */
#include "lectures/02-tokens/word2vec.h"

/* How fast the labels change a classifier's E: not at all, at a hundredth or a tenth of the rate of
 * the classifier, or at that rate. */
typedef enum { FROZEN, SLOWEST, SLOW, TUNED, SOURCES } Source;
static const char *const source_names[SOURCES] = {"pre-trained, frozen",
                                                  "tuned at 1/100 of the rate",
                                                  "tuned at 1/10 of the rate",
                                                  "tuned at the classifier's rate"};
static const double shares[SOURCES] = {0, 0.01, 0.1, 1}; /* of the rate, for the vectors */

enum { DRAWS = 24, STEPS = 100, CLASSES = RELATIONS, LABELS_MAX = COUNTRIES - 1 };
static const double rate = 0.05;

typedef struct {
    Embedding E; /* (WORDS, D) */
    Linear head; /* (CLASSES, D) */
} Classifier;

/* vectors (WORDS, D): what E begins with. */
static bool begin(Classifier *c, Params *E, Params *head, const double *vectors, int D)
{
    bool ok = vectors && nn_embedding_init(&c->E, E, "E", WORDS, D) &&
              nn_linear_init(&c->head, head, "head", D, CLASSES, true);
    for (int i = 0; ok && i < WORDS * D; i++)
        c->E.weight->data[i] = (real)vectors[i];
    return ok;
}

static Tensor *logits(const Classifier *c, Tape *tape, const int *words, int n)
{
    return nn_linear(&c->head, nn_embedding(&c->E, tape_ids(tape, words, shape1(n))));
}

/* Trains a linear classifier on the words of `labels` countries of a random order for each class,
 * from vectors (WORDS, D) of the words, and returns the share of the other words that it classifies
 * rightly. */
static double classify_words(uint64_t seed, Source source, const double *vectors, int D, int labels)
{
    Params *E = params_new(seed), *head = params_new(seed);
    Tape *tape = tape_new(seed);
    Classifier c;
    Adam of_E = {0}, of_head = {0};
    int words[WORDS], class[WORDS], order[CLASSES][COUNTRIES], known = labels * CLASSES, right = 0;
    for (int r = 0; r < CLASSES; r++)
        data_order(order[r], COUNTRIES, seed, (uint64_t)r);
    for (int i = 0; i < WORDS; i++) {
        class[i] = i % CLASSES;
        words[i] = order[i % CLASSES][i / CLASSES] * RELATIONS + class[i];
    }
    bool ok = begin(&c, E, head, vectors, D) && adam_init(&of_head, head, rate) &&
              adam_init(&of_E, E, rate * shares[source]);
    for (int step = 0; ok && step < STEPS; step++) {
        tape_reset(tape);
        Tensor *classes = tape_ids(tape, class, shape1(known));
        ok = ag_backward(ag_cross_entropy(logits(&c, tape, words, known), classes)) &&
             adam_step(&of_head, head) && adam_step(&of_E, E);
    }
    tape_reset(tape);
    tape->no_grad = true;
    const Tensor *y = logits(&c, tape, words + known, WORDS - known);
    for (int i = 0; ok && i < WORDS - known; i++) {
        const real *s = y->data + i * CLASSES, own = s[class[known + i]];
        int above = 0; /* classes with a larger logit, or one that cannot be compared */
        for (int k = 0; k < CLASSES; k++)
            above += k != class[known + i] && !(s[k] < own);
        right += above == 0;
    }
    adam_free(&of_E);
    adam_free(&of_head);
    tape_free(tape);
    params_free(E);
    params_free(head);
    return ok ? (double)right / (WORDS - known) : (double)NAN;
}

/* ---- what few labels are worth --------------------------------------------------------------- */

/* For `labels` per class: of a source, or, with `less`, of the difference between two sources in
 * the same draws. */
static Mean accuracy(uint64_t seed, World world, Source source, int less, int labels)
{
    const Vectors *v = word2vec(seed, SKIP_GRAM, world, 5);
    const double *w = v ? v->word[0] : NULL;
    double share[DRAWS];
    for (int d = 0; d < DRAWS; d++) {
        uint64_t draw = (seed * 10 + (uint64_t)labels) * 1000 + (uint64_t)d;
        share[d] = classify_words(draw, source, w, DIMENSIONS, labels);
        if (less >= 0)
            share[d] -= classify_words(draw, (Source)less, w, DIMENSIONS, labels);
    }
    return values_mean(share, DRAWS);
}

/* The mean of several means, all with their errors. */
static Mean pooled(const Mean *a, int n)
{
    Mean all = {0, 0};
    for (int i = 0; i < n; i++) {
        all.mean += a[i].mean / n;
        all.error += a[i].error * a[i].error / n / n;
    }
    all.error = sqrt(all.error);
    return all;
}

static double frozen(Trial *t)
{
    enum { LABELS = 3 };
    World world = broken(t, "shuffled") ? SHUFFLED : WORLD;
    Mean a = accuracy(t->seed, world, FROZEN, -1, LABELS);
    explain(
        t,
        "vectors frozen, 3 of 6 words of each class have a label: %.3f +- %.3f of the others right",
        a.mean, a.error);
    return a.mean;
}

/* What tuning costs at this share of the classifier's rate: frozen less tuned in the same draws, 2
 * to 5 labels a class. */
static Mean tuning_loss(const Trial *t, Source source)
{
    Mean a[LABELS_MAX - 1];
    for (int m = 2; m <= LABELS_MAX; m++)
        a[m - 2] = accuracy(t->seed, WORLD, FROZEN, (int)source, m);
    Mean all = pooled(a, LABELS_MAX - 1);
    explain(t, "%-30s frozen less tuned %.3f +- %.3f, with 3 labels a class %.3f +- %.3f",
            source_names[source], all.mean, all.error, a[1].mean, a[1].error);
    return all;
}

static double tuned(Trial *t)
{
    Mean loss = tuning_loss(t, broken(t, "slowly") ? SLOWEST : TUNED);
    tuning_loss(t, SLOW);
    return loss.mean / loss.error;
}

const Claim pretrained_claims[] = {
    {7, frozen,
     "with frozen pre-trained vectors, three labelled words of each of four classes tell the class "
     "of most other words",
     .slides = {"V: Word to Word Embedding", "Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "share right of words without a label, mean of 24 draws",
     AT_LEAST(0.85, "a relation's share of PMI is the same in all its words: in theory 1, by "
                    "chance 1/4; at 0.85 the mean has an error of 0.02"),
     .faults = {{"shuffled", "the vectors were trained on text in which contexts say nothing"}}},
    {7, tuned,
     "pre-trained vectors that are tuned with few labels at the classifier's own rate do worse "
     "than frozen ones",
     .slides = {"V: Word to Word Embedding"},
     .quantity = "share right, frozen less tuned at rate 0.05, in standard errors over 96 draws",
     AT_LEAST(4, "by chance once in 30,000 trials"),
     .faults = {{"slowly", "the vectors are tuned at a hundredth of the classifier's rate"}}},
    {0},
};
