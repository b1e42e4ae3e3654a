/* word_vocab.c: a vocabulary of the words of a text, and texts as ids of their words.
 *
 * Words are those of data_tokenise. A word that is too rare for an id of its own becomes "<unk>";
 * tokens of characters or byte pairs do not have this loss. */
#include "data/data.h"
#include "data/null.h"
#include "data/word_vocab.h"
#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t count;
    int32_t id; /* in the order of first occurrence */
} Frequency;

typedef struct {
    Vocab words; /* in the order of first occurrence */
    Frequency *list;
    int64_t capacity;
} Frequencies;

static bool count_word(Frequencies *f, const char *word)
{
    int id = data_vocab_add(&f->words, word);
    if (id < 0)
        return false;
    if (id >= f->capacity) {
        int64_t larger = f->capacity ? 2 * f->capacity : 256;
        Frequency *grown =
            mem_grow(f->list, (size_t)f->capacity * sizeof *grown, (size_t)larger * sizeof *grown);
        if (!grown)
            return false;
        for (int64_t i = f->capacity; i < larger; i++)
            grown[i] = (Frequency){0, (int32_t)i};
        f->list = grown;
        f->capacity = larger;
    }
    f->list[id].count++;
    return true;
}

/* Counts every word of the text. */
static bool count_words(Frequencies *f, const char *text)
{
    char word[DATA_WORD_BYTES];
    for (const char *p = words_next(text, word, "data_words_build"); p;
         p = words_next(p, word, "data_words_build"))
        if (!*word)
            return true;
        else if (!count_word(f, word))
            return false;
    return false;
}

/* For qsort: descending frequency, then the order of the text. */
static int by_frequency(const void *a, const void *b)
{
    const Frequency *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static bool keep_frequent(Vocab *v, Frequencies *f, int64_t most, int64_t least)
{
    if (f->words.count > 1)
        qsort(f->list, (size_t)f->words.count, sizeof *f->list, by_frequency);
    for (int i = 0; i < f->words.count && v->count < most && f->list[i].count >= least; i++)
        if (data_vocab_add(v, f->words.words[f->list[i].id]) < 0)
            return false;
    return true;
}

bool data_words_build(Vocab *v, const char *text, int64_t most, int64_t least)
{
    Frequencies f = {0};
    if (!v || !text)
        return null_fail("data_words_build", "a vocabulary and a text");
    if (most < 0)
        return tensor_fail("data_words_build: found a limit of %lld words; expected 0 or more",
                           (long long)most);
    if (v->count == 0 && !data_vocab_specials(v))
        return false;
    bool ok = count_words(&f, text) && keep_frequent(v, &f, most, least);
    mem_free(f.list);
    data_vocab_free(&f.words);
    return ok;
}

int64_t data_words_encode(const Vocab *v, const char *text, int32_t *ids, int64_t capacity)
{
    char word[DATA_WORD_BYTES];
    int64_t count = 0;
    if (!v || !text || (!ids && capacity > 0))
        return null_fail("data_words_encode", "a vocabulary, a text and ids"), -1;
    const char *p = words_next(text, word, "data_words_encode");
    for (; p && *word; p = words_next(p, word, "data_words_encode"), count++) {
        int id = data_vocab_find(v, word);
        if (count < capacity)
            ids[count] = id < 0 ? DATA_UNK : id;
    }
    return p ? count : -1;
}
