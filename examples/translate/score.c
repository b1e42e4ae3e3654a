/* score.c: the accuracy of a translator, and a check that padding does not change its logits. */
#include "examples/translate/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCORED = 64, PADDED = 32 };

/* Spanish words. */
static const int length_from[LENGTHS + 1] = {1, 5, 8, 11, DATA_WORDS_MAX + 1};
static const char *const length_names[LENGTHS] = {"1 to 4", "5 to 7", "8 to 10", "11 or more"};

static bool same(const SentencePair *a, const SentencePair *b)
{
    return a->english_length == b->english_length &&
           memcmp(a->english, b->english, (size_t)a->english_length * sizeof *a->english) == 0;
}

static void count(Score *s, int length, bool exact)
{
    int group = 0;
    while (length >= length_from[group + 1])
        group++;
    s->all.count++;
    s->all.exact += exact;
    s->by_length[group].count++;
    s->by_length[group].exact += exact;
}

static bool mean_loss(const Translator *t, Tape *tape, PairBatch *b, const SentencePair *test,
                      int tests, double *mean)
{
    double sum = 0, words = 0;
    tape->no_grad = true;
    for (int first = 0; first < tests; first += SCORED) {
        int n = tests - first < SCORED ? tests - first : SCORED, asked = 0;
        pairs_fill(b, test + first, n);
        for (int i = 0; i < n; i++)
            asked += b->to_length[i];
        tape_reset(tape);
        Tensor *out = tape_ids(tape, b->out, shape2(b->B, b->T));
        Tensor *loss = ag_cross_entropy_ignore(translator_logits(t, tape, b), out, DATA_IGNORE);
        if (tensor_is_poison(loss))
            return false;
        sum += asked * (double)tensor_item(loss);
        words += asked;
    }
    *mean = sum / words;
    return true;
}

bool score(const Translator *t, const Corpus *d, int tests, Score *s)
{
    Writer w = {0};
    Tape *tape = tape_new(1);
    SentencePair *said = example_alloc((size_t)tests * sizeof *said);
    *s = (Score){0};
    bool ok = tape && said && writer_init(&w, t, SCORED);
    if (ok) {
        memcpy(said, d->test, (size_t)tests * sizeof *said);
        ok = mean_loss(t, tape, &w.batch, d->test, tests, &s->loss) &&
             translate_greedily(&w, tape, said, tests);
    }
    for (int i = 0; ok && i < tests; i++)
        count(s, d->test[i].spanish_length, same(&said[i], &d->test[i]));
    for (int i = 0; i < LENGTHS; i++)
        s->by_length[i].exact /= s->by_length[i].count ? s->by_length[i].count : 1;
    s->all.exact /= s->all.count ? s->all.count : 1;
    writer_free(&w);
    tape_free(tape);
    free(said);
    return ok;
}

/* ---- padding --------------------------------------------------------------------------------- */

/* The largest difference of a logit between sentences in a padded batch and each alone, without
 * padding positions. */
static double padding_change(const Translator *t, const SentencePair *pairs, int B)
{
    PairBatch batch;
    double most = 0;
    Tape *tape = tape_new(1);
    bool ok = tape && pairs_init(&batch, B);
    if (!ok)
        return (double)NAN;
    tape->no_grad = true;
    pairs_fill(&batch, pairs, B);
    Tensor *together = translator_logits(t, tape, &batch);
    for (int b = 0; b < B && !tensor_is_poison(together); b++) {
        pairs_fill(&batch, &pairs[b], 1);
        Tensor *alone = translator_logits(t, tape, &batch);
        if (tensor_is_poison(alone))
            break;
        const real *row = together->data + b * together->shape.dim[1] * together->shape.dim[2];
        for (int64_t i = 0; i < tensor_size(alone); i++)
            most = fmax(most, fabs((double)(alone->data[i] - row[i])));
    }
    ok = !tape->failed;
    pairs_free(&batch);
    tape_free(tape);
    return ok ? most : (double)NAN;
}

bool print_score(const Translator *t, const Corpus *d)
{
    Score s;
    if (!score(t, d, TESTS, &s))
        return false;
    printf("exact translations of %d held-out sentences (other combinations of words):\n", TESTS);
    for (int i = 0; i < LENGTHS; i++)
        printf("  %-12s words %6.1f %%   (%d)\n", length_names[i], 100 * s.by_length[i].exact,
               s.by_length[i].count);
    printf("  %-18s %6.1f %%   loss %.4f nats a word\n", "all", 100 * s.all.exact, s.loss);
    double change = padding_change(t, d->test, PADDED);
    printf("padding changes their logits by at most %.1e\n", change);
    return !isnan(change);
}
