/* texts.c: see texts.h. */
#include "examples/classify/texts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 20000, LEAST_OFTEN = 2, REVIEWS_SEED = 2017 };

static bool begin(Texts *t, int count, int longest, bool kinds)
{
    *t = (Texts){.longest = longest,
                 .labels = example_alloc((size_t)count * sizeof *t->labels),
                 .kinds = kinds ? example_alloc((size_t)count * sizeof *t->kinds) : NULL};
    return t->labels && (t->kinds || !kinds);
}

static bool begin_words(Vocab *v)
{
    return data_vocab_specials(v) && data_vocab_add(v, "<class>") == CLASS_TOKEN;
}

/* Appends <class> and the words of a text, up to the longest length. */
static bool add(Texts *t, const char *text, int label)
{
    int32_t *ids = example_alloc((size_t)t->longest * sizeof *ids);
    if (!ids)
        return false;
    ids[0] = CLASS_TOKEN;
    int64_t n = data_words_encode(&t->words, text, ids + 1, t->longest - 1);
    t->cut += n > t->longest - 1;
    n = n > t->longest - 1 ? t->longest - 1 : n;
    t->labels[t->ids.count] = label;
    bool ok = n >= 0 && data_sequences_add(&t->ids, ids, (int)n + 1);
    free(ids);
    return ok;
}

/* ---- reviews --------------------------------------------------------------------------------- */

static bool add_review(Texts *t, const Grammar *g, SentenceSplit split, Rng *rng)
{
    Sentence s;
    char text[DATA_WORDS_MAX * DATA_WORD_BYTES];
    if (!data_grammar_draw(g, rng, split, &s))
        return false;
    data_sentence_text(g, &s, text, sizeof text);
    t->kinds[t->ids.count] = s.kind;
    return add(t, text, s.label);
}

static bool copy_words(Vocab *to, const Vocab *from, int first)
{
    bool ok = true;
    for (int i = first; ok && i < from->count; i++)
        ok = data_vocab_add(to, from->words[i]) >= 0;
    return ok;
}

bool texts_of_reviews(Texts *t, int train, int held_out, int longest)
{
    Rng rng = {.seed = REVIEWS_SEED}; /* all seeds train on the same texts */
    Grammar *g = data_reviews_new();
    bool ok = begin(t, train + held_out, longest, true) && g && begin_words(&t->words) &&
              copy_words(&t->words, data_grammar_words(g), DATA_SPECIALS) &&
              copy_words(&t->names, data_grammar_labels(g), 0);
    t->train = train;
    for (int i = 0; ok && i < train + held_out; i++)
        ok = add_review(t, g, i < train ? DATA_TRAIN : DATA_HELD_OUT, &rng);
    data_grammar_free(g);
    return ok;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* The words of the training texts. Words that occur once become <unk>, so that the model learns to
 * treat unknown words. */
static bool find_words(Texts *t, const Labelled *l, const int *order)
{
    size_t bytes = 1, used = 0;
    for (int i = 0; i < t->train; i++)
        bytes += strlen(l->texts[order[i]]) + 1;
    char *all = example_alloc(bytes);
    if (!all)
        return false;
    for (int i = 0; i < t->train; i++)
        used += (size_t)sprintf(all + used, "%s\n", l->texts[order[i]]);
    bool ok = begin_words(&t->words) && data_words_build(&t->words, all, MOST_WORDS, LEAST_OFTEN);
    free(all);
    return ok;
}

static bool add_lines(Texts *t, const Labelled *l, const char *path, const int *order)
{
    for (int i = 0; i < l->count; i++) {
        const char *name = data_vocab_word(&l->names, l->labels[order[i]]);
        const int label = data_vocab_find(&t->names, name);
        if (label < 0)
            return example_fail("%s: found the label \"%s\"; expected one of the model's %d", path,
                                name, t->names.count);
        if (!add(t, l->texts[order[i]], label))
            return false;
    }
    return true;
}

bool texts_of_file(Texts *t, const char *path, int longest, uint64_t seed, const Texts *known)
{
    Labelled l;
    *t = (Texts){0};
    if (!data_labelled_read(path, &l))
        return false;
    int *order = example_alloc((size_t)l.count * sizeof *order);
    bool ok = begin(t, l.count, longest, false) && order;
    t->train = ok ? data_split(order, l.count, 0.1, seed) : 0;
    if (ok && (t->train < 1 || t->train == l.count))
        ok = example_fail("%s: found %d texts; expected at least 5, as a tenth is held out", path,
                          l.count);
    ok = ok &&
         (known ? copy_words(&t->words, &known->words, 0) && copy_words(&t->names, &known->names, 0)
                : find_words(t, &l, order) && copy_words(&t->names, &l.names, 0));
    ok = ok && add_lines(t, &l, path, order);
    free(order);
    data_labelled_free(&l);
    return ok;
}

void texts_free(Texts *t)
{
    data_vocab_free(&t->words);
    data_vocab_free(&t->names);
    data_sequences_free(&t->ids);
    free(t->labels);
    free(t->kinds);
    *t = (Texts){0};
}

/* ---- a user's own ---------------------------------------------------------------------------- */

int texts_encode(const Texts *t, const char *text, int32_t *ids, int capacity)
{
    Words words;
    if (!data_tokenise(text, &words))
        return -1;
    if (words.count == 0 || words.count + 1 > capacity) {
        example_fail("--text \"%.60s\": found %d words; expected 1 to %d", text, words.count,
                     capacity - 1);
        return -1;
    }
    ids[0] = CLASS_TOKEN;
    for (int i = 0; i < words.count; i++)
        if ((ids[i + 1] = data_vocab_need(&t->words, words.word[i])) < 0)
            return -1;
    return words.count + 1;
}
