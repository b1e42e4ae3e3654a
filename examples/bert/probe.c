/* probe.c: tests what the model has learned: it masks a word that the rest determines, and checks
 * the prediction.
 *
 *   the dogs near the tree <mask> in the barn  correct: sleep, wait, ...; wrong: sleeps, waits, ...
 *   sadly , the plot was <mask> .              correct: any negative word
 *
 * A word fits if it occurs at such positions in the training sentences with the same answer. The
 * test sentences are held out: their pairs of words never occurred together in training. */
#include "examples/bert/settings.h"
#include "data/corpora/corpora.h"

enum { SORTS = 4, ASKED = 300, LOOKED_AT = 20000, LABELS = 32, WORDS = 1024 };

/* which[word]: a bit for each answer that the word determined. */
typedef struct {
    const Grammar *grammar;
    const Corpus *corpus;
    uint32_t which[WORDS];
} Fits;

/* Only reviews without negation count, or those with a second word that determines the answer. */
static bool is_asked(const Sentence *s, bool reviews, int kind)
{
    return reviews ? s->cues >= 2 && s->kind != DATA_NEGATED : s->kind == kind && s->cues >= 2;
}

static int id_of(const Fits *f, int32_t word)
{
    return data_vocab_find(&f->corpus->words,
                           data_vocab_word(data_grammar_words(f->grammar), word));
}

static bool find_fits(Fits *f, bool reviews, int kind)
{
    Rng rng = {.seed = 2};
    for (int i = 0; i < LOOKED_AT; i++) {
        Sentence s;
        if (!data_grammar_draw(f->grammar, &rng, DATA_TRAIN, &s))
            return false;
        if (s.kind != kind)
            continue;
        /* in a plain review all such words agree */
        for (int k = reviews ? 0 : s.cues - 1; k < s.cues; k++)
            f->which[id_of(f, s.ids[s.cue[k]])] |= 1u << s.label % LABELS;
    }
    return true;
}

/* Masks the last such word: does the most probable word fit? */
static bool is_right(const Fits *f, const Bert *m, Tape *tape, const Sentence *s, bool *right)
{
    int32_t ids[DATA_WORDS_MAX + 1] = {CLASS_TOKEN};
    for (int i = 0; i < s->length; i++)
        ids[i + 1] = id_of(f, s->ids[i]);
    const int place = s->cue[s->cues - 1] + 1, hidden = ids[place];
    ids[place] = DATA_MASK;
    tape_reset(tape);
    Tensor *all =
        bert_words(m, bert_hidden(m, tape_ids(tape, ids, shape2(1, s->length + 1)), NULL));
    if (tensor_is_poison(all))
        return false;
    const real *logits = all->data + (int64_t)place * f->corpus->words.count;
    *right = f->which[nn_greedy(logits, f->corpus->words.count)] == f->which[hidden];
    return true;
}

static double probe(const Grammar *g, const Bert *m, const Corpus *c, Tape *tape, int kind)
{
    Fits f = {.grammar = g, .corpus = c};
    const bool reviews = kind < 0;
    Rng rng = {.seed = 3};
    int asked = 0, fitting = 0;
    bool ok = find_fits(&f, reviews, reviews ? DATA_PLAIN : kind);
    while (ok && asked < ASKED) {
        Sentence s;
        bool right = false;
        ok = data_grammar_draw(g, &rng, DATA_HELD_OUT, &s);
        if (!ok || !is_asked(&s, reviews, kind))
            continue;
        ok = is_right(&f, m, tape, &s, &right);
        fitting += right;
        asked++;
    }
    return ok ? (double)fitting / asked : -1;
}

bool print_probes(const Bert *m, const Corpus *c)
{
    static const char *const sort[SORTS] = {"the verb agrees with its subject", "verb and object",
                                            "the river's bank, or the money's",
                                            "positive or negative"};
    static const int kind[SORTS] = {DATA_AGREEMENT, DATA_OBJECT, DATA_CROSSING, -1};
    Grammar *phrases = data_phrases_new(), *reviews = data_reviews_new();
    Tape *tape = tape_new(0);
    bool ok = phrases && reviews && tape;
    if (ok) {
        tape->no_grad = true;
        printf("a determined word masked in %d held-out sentences; the most probable word fits "
               "(chance: "
               "half):\n",
               ASKED);
    }
    for (int i = 0; ok && i < SORTS; i++) {
        const double right = probe(kind[i] < 0 ? reviews : phrases, m, c, tape, kind[i]);
        ok = right >= 0;
        if (ok)
            printf("  %-34s %5.1f %%\n", sort[i], 100 * right);
    }
    tape_free(tape);
    data_grammar_free(phrases);
    data_grammar_free(reviews);
    return ok;
}
