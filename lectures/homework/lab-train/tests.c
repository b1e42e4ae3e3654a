/* tests.c: the tests of the lab on training. A model is asked about texts that it has not seen. Its
 * loss is compared with the entropy of the same texts: what is lower has seen the answers. */
#include "lab-train.h"

#include "lab.h"

#include <math.h>
#include <stdlib.h>

/* Under the sanitizer, which is slow, nothing has to be learned. */
#ifdef HOMEWORK_SANITIZED
#define TIME(seconds) 0.2
#else
#define TIME(seconds) (seconds)
#endif

enum { TEXTS = 64, COUNT = TEXTS * LENGTH, LOGITS = COUNT * LETTERS };

/* TEXTS texts, and the letter after each of their letters. */
typedef struct {
    int ids[COUNT], next[COUNT];
} Texts;

static void draw_texts(Texts *x, Rng *rng)
{
    int text[LENGTH + 1];
    for (int b = 0; b < TEXTS; b++) {
        draw_text(text, LENGTH + 1, rng);
        for (int t = 0; t < LENGTH; t++) {
            x->ids[b * LENGTH + t] = text[t];
            x->next[b * LENGTH + t] = text[t + 1];
        }
    }
}

/* The model's logits; false where there are none of that shape. */
static bool ask(const Learner *l, const int *ids, real *to)
{
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    const Tensor *y = l->logits(l->own, tape_ids(tape, ids, shape2(TEXTS, LENGTH)));
    Shape wanted = shape3(TEXTS, LENGTH, LETTERS);
    bool good = y && !tensor_is_poison(y) && shape_equal(y->shape, wanted);
    if (good)
        tensor_read(y, to);
    else
        printf("the logits are %s; expected %s\n", y ? shape_str(y->shape) : "NULL",
               shape_str(wanted));
    if (tensor_failed())
        printf("error: %s\n", tensor_error());
    tensor_clear_error();
    tape_free(tape);
    return good;
}

/* -log of the probability that the logits give to a letter. */
static double surprise(const real *logits, int letter)
{
    double top = (double)logits[0], sum = 0;
    for (int v = 1; v < LETTERS; v++)
        top = fmax(top, (double)logits[v]);
    for (int v = 0; v < LETTERS; v++)
        sum += exp((double)logits[v] - top);
    return log(sum) + top - (double)logits[letter];
}

/* The same for the language itself. */
static double true_surprise(const int *text, int t, int next)
{
    double any = (1 - RULE) / LETTERS;
    if (t < 2)
        return log(LETTERS);
    return -log(any + (next == letter_by_rule(text, t + 1)) * RULE);
}

/* Both means over the same texts. */
static void measure(const Texts *x, const real *logits, double *loss, double *entropy)
{
    *loss = *entropy = 0;
    for (int i = 0; i < COUNT; i++) {
        int t = i % LENGTH;
        *loss += surprise(logits + i * LETTERS, x->next[i]) / COUNT;
        *entropy += true_surprise(x->ids + i - t, t, x->next[i]) / COUNT;
    }
}

/* Do the logits up to the middle stay what they are when the second half of each text changes? */
static bool is_causal(const Learner *l, const Texts *x, const real *logits, Rng *rng)
{
    static int ids[COUNT];
    static real other[LOGITS];
    for (int i = 0; i < COUNT; i++)
        ids[i] = i % LENGTH < LENGTH / 2 ? x->ids[i] : (int)rng_below(rng, LETTERS);
    if (!ask(l, ids, other))
        return false;
    double largest = 0;
    for (int i = 0; i < COUNT; i++)
        for (int v = 0; v < LETTERS && i % LENGTH < LENGTH / 2; v++) {
            double change = fabs((double)logits[i * LETTERS + v] - (double)other[i * LETTERS + v]);
            largest = change <= largest ? largest : change;
        }
    if (!(largest < 1e-3))
        printf("later letters change earlier logits by up to %g\n", largest);
    return largest < 1e-3;
}

static bool begin(Case *c, Learner *l, double seconds, Rng *rng)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 1, 2);
    *rng = (Rng){.seed = (uint64_t)seed[0], .stream = 99};
    *l = (Learner){0};
    return train(l, TIME(seconds), (uint64_t)seed[1]) && l->logits;
}

static void end(Learner *l)
{
    if (l->release)
        l->release(l->own);
    tensor_clear_error();
}

/* ---- without training, and after half a second of it ----------------------------------------- */

static Texts texts;
static real logits_now[LOGITS];

static bool all_finite(const real *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite((double)x[i]))
            return false;
    return true;
}

static void model_case(Case *c)
{
    Learner l;
    Rng rng;
    int *shape = case_output_integers(c, "shape_is_right", 0);
    int *causal = case_output_integers(c, "causal", 0),
        *finite = case_output_integers(c, "finite", 0);
    if (begin(c, &l, 0, &rng)) {
        draw_texts(&texts, &rng);
        *shape = ask(&l, texts.ids, logits_now);
        *finite = *shape && all_finite(logits_now, LOGITS);
        *causal = *shape && is_causal(&l, &texts, logits_now, &rng);
        end(&l);
    }
}

/* How often the likeliest letter is the one that was there last. */
static double copied(const Texts *x, const real *logits)
{
    int copies = 0;
    for (int i = 0; i < COUNT; i++) {
        const real *row = logits + i * LETTERS;
        int best = 0;
        for (int v = 1; v < LETTERS; v++)
            best = row[v] > row[best] ? v : best;
        copies += best == x->ids[i];
    }
    return copies / (double)COUNT;
}

static const double short_time = 0.5;

/* The loss before training, on the same texts. */
static double loss_at_first(int seed)
{
    Learner l = {0};
    double loss = INFINITY, entropy;
    if (train(&l, 0, (uint64_t)seed) && l.logits && ask(&l, texts.ids, logits_now))
        measure(&texts, logits_now, &loss, &entropy);
    end(&l);
    return loss;
}

static void learns_case(Case *c)
{
    Learner l;
    Rng rng;
    int *in_time = case_output_integers(c, "in_time", 0);
    int *copies = case_output_integers(c, "copies", 0);
    int *learned = case_output_integers(c, "learned", 0);
    int *finite = case_output_integers(c, "finite", 0);
    double loss, entropy, before = seconds_used();
    if (!begin(c, &l, short_time, &rng))
        return;
    double used = seconds_used() - before;
    draw_texts(&texts, &rng);
    bool good = ask(&l, texts.ids, logits_now);
    measure(&texts, logits_now, &loss, &entropy);
    *in_time = used < short_time + 0.3;
    *finite = good && all_finite(logits_now, LOGITS);
    *copies = good && copied(&texts, logits_now) > 0.6;
    end(&l);
    double first = loss_at_first((int)rng.seed);
    *learned = good && loss < first - 0.01;
    printf("%.1f seconds of %.1f; the loss is %.3f, at first %.3f; the entropy of these texts is "
           "%.3f\n",
           used, short_time, loss, first, entropy);
}

/* ---- the score ------------------------------------------------------------------------------- */

/* A loss below the entropy of the same texts by more than this is no luck: the mean of
 * log p - log q over 2048 letters has a standard error of 0.02 where q is a little off p, and is
 * then positive. */
static const double luck = 0.05;

static void score(Case *c, double seconds, double above)
{
    Learner l;
    Rng rng;
    int *refused = case_output_integers(c, "refused", 0),
        *reached = case_output_integers(c, "reached", 0);
    double loss, entropy;
    if (!begin(c, &l, seconds, &rng))
        return;
    draw_texts(&texts, &rng);
    bool good = ask(&l, texts.ids, logits_now);
    measure(&texts, logits_now, &loss, &entropy);
    bool sees = good && (loss < entropy - luck || !is_causal(&l, &texts, logits_now, &rng));
    printf("after %g seconds: the loss is %.3f, the entropy of these texts %.3f; expected at most "
           "%.2f above it\n",
           seconds, loss, entropy, above);
    if (sees)
        printf("refused: the model sees the letters that it predicts\n");
    *refused = sees;
    *reached = good && !sees && loss < entropy + above;
    end(&l);
}

static void near_case(Case *c)
{
    score(c, 5, 0.6);
}

static void nearer_case(Case *c)
{
    score(c, 10, 0.2);
}

static void nearest_case(Case *c)
{
    score(c, 20, 0.06);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The times are those of README.md, and 5 seconds for the questions afterwards. */
const Test tests[] = {
    {"model", "train", "a model whose logits depend on earlier letters alone", POINTS(20),
     model_case, .cases = 1},
    {"learns", "train", "it learns something in half a second", POINTS(20), learns_case, .cases = 1,
     .needs = "model"},
    {"near", "train", "0.6 above the entropy, in 5 seconds", POINTS(20), near_case, .cases = 1,
     .needs = "learns", .seconds = 10},
    {"nearer", "train", "0.2 above the entropy, in 10 seconds", POINTS(20), nearer_case, .cases = 1,
     .needs = "near", .seconds = 15},
    {"nearest", "train", "0.06 above the entropy, in 20 seconds", POINTS(20), nearest_case,
     .cases = 1, .needs = "nearer", .seconds = 25},
    {0},
};
