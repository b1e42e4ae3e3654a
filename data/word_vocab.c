/* word_vocab.c: a vocabulary of the words of a text, and texts as ids of their words.
 *
 * Words are those of data_tokenise. A word that is too rare for an id of its own becomes "<unk>";
 * tokens of characters or byte pairs do not have this loss. */
#include "data/data.h"
#include "data/null.h"
#include "data/word_vocab.h"
#include "tensor/memory.h"

#include <stdlib.h>

typedef struct {
    int64_t count;
    int32_t id; /* in the order of first occurrence */
} Frequency;

/* Adds the words of the text to `words`, in the order of first occurrence; or, with a list of one
 * row for each of them, counts how often each occurs. */
static bool count_words(Vocab *words, const char *text, Frequency *list)
{
    char word[DATA_WORD_BYTES];
    for (const char *p = text; (p = words_next(p, word, "data_words_build")) && *word;) {
        int32_t id = data_vocab_add(words, word);
        if (id < 0)
            return false;
        if (list)
            list[id] = (Frequency){list[id].count + 1, id};
    }
    return !*word;
}

/* For qsort: descending frequency, then the order of the text. */
static int by_frequency(const void *a, const void *b)
{
    const Frequency *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The words of the text by frequency; at most so many go into the vocabulary. */
static bool add_frequent(Vocab *v, Vocab *words, const char *text, int64_t most, int64_t least)
{
    Frequency *list = mem_zeroed(((size_t)words->count + 1) * sizeof *list);
    bool ok = list && count_words(words, text, list);
    if (ok)
        qsort(list, (size_t)words->count, sizeof *list, by_frequency);
    for (int i = 0; ok && i < words->count && v->count < most && list[i].count >= least; i++)
        ok = data_vocab_add(v, words->words[list[i].id]) >= 0;
    mem_free(list);
    return ok;
}

bool data_words_build(Vocab *v, const char *text, int64_t most, int64_t least)
{
    Vocab words = {0}; /* all, in the order of first occurrence */
    if (!v || !text)
        return null_fail("data_words_build", "a vocabulary and a text");
    if (most < 0)
        return tensor_fail("data_words_build: found a limit of %lld words; expected 0 or more",
                           (long long)most);
    if (v->count == 0 && !data_vocab_specials(v))
        return false;
    bool ok = count_words(&words, text, NULL) && add_frequent(v, &words, text, most, least);
    data_vocab_free(&words);
    return ok;
}

int64_t data_words_encode(const Vocab *v, const char *text, int32_t *ids, int64_t capacity)
{
    char word[DATA_WORD_BYTES];
    int64_t count = 0;
    if (!v || !text || (!ids && capacity > 0))
        return null_fail("data_words_encode", "a vocabulary, a text and ids"), -1;
    for (const char *p = text; (p = words_next(p, word, "data_words_encode")) && *word; count++) {
        int id = data_vocab_find(v, word);
        if (count < capacity)
            ids[count] = id < 0 ? DATA_UNK : id;
    }
    return *word ? -1 : count;
}
