/* translations_draft.c: words into the two sentences of a pair; see translations_draft.h. */
#include "data/corpora/translations_draft.h"

#include "data/corpora/translations_lexicon.h"

#include <string.h>

int draft_below(Draft *d, int n)
{
    return (int)rng_below(d->rng, n);
}

/* True with a probability in percent. */
bool draft_often(Draft *d, int percent)
{
    return draft_below(d, 100) < percent;
}

static bool starts_with_vowel(const char *word)
{
    return strchr("aeiou", word[0]) != NULL;
}

/* The form of a word before another one: a + el = al, de + el = del; "a" before a vowel is "an".
 * NULL: unchanged. */
static const char *joined(const char *last, const char *word, bool english)
{
    if (english)
        return strcmp(last, "a") == 0 && starts_with_vowel(word) ? "an" : NULL;
    if (strcmp(word, "el") != 0)
        return NULL;
    return strcmp(last, "a") == 0 ? "al" : strcmp(last, "de") == 0 ? "del" : NULL;
}

uint32_t draft_unit(Draft *d)
{
    if (d->units == 32)
        d->failed = true;
    return d->failed ? 0 : (uint32_t)1 << d->units++;
}

/* Appends a word of the units d->now to one of the sentences. */
static void put_word(Draft *d, bool english, const char *word)
{
    const Vocab *v = english ? &d->words->english : &d->words->spanish;
    int32_t *ids = english ? d->pair->english : d->pair->spanish;
    int *n = english ? &d->pair->english_length : &d->pair->spanish_length;
    const char *both = *n > 0 ? joined(data_vocab_word(v, ids[*n - 1]), word, english) : NULL;
    if (both)
        ids[*n - 1] = data_vocab_find(v, both);
    if (both && !english) {
        d->unit[SPANISH][*n - 1] |= d->now;
        return; /* al and del contain the article */
    }
    if (*n == DATA_WORDS_MAX) {
        d->failed = true;
        return;
    }
    ids[*n] = data_vocab_find(v, word);
    d->unit[english ? ENGLISH : SPANISH][(*n)++] = d->now;
}

static bool put_spanish(void *draft, const char *word)
{
    put_word(draft, false, word);
    return true;
}

static bool put_english(void *draft, const char *word)
{
    put_word(draft, true, word);
    return true;
}

void draft_put_as(Draft *d, uint32_t units, const char *spanish, const char *english)
{
    d->now = units;
    if (spanish)
        translations_each_word(spanish, put_spanish, d);
    if (english)
        translations_each_word(english, put_english, d);
}

void draft_put(Draft *d, const char *spanish, const char *english)
{
    draft_put_as(d, draft_unit(d), spanish, english);
}

/* Chooses one of those that fit, each equally likely; -1: none fits. */
int draft_choose(Draft *d, int n, bool (*fits)(const Draft *, int))
{
    int found = 0, i;
    for (i = 0; i < n; i++)
        found += fits(d, i);
    if (found == 0)
        return -1;
    int left = draft_below(d, found);
    for (i = 0; !fits(d, i) || left-- > 0; i++)
        ;
    return i;
}

void draft_align(const Draft *d, SentenceAlignment *a)
{
    *a = (SentenceAlignment){0};
    for (int t = 0; t < d->pair->english_length; t++)
        for (int i = 0; i < d->pair->spanish_length; i++)
            if (d->unit[ENGLISH][t] & d->unit[SPANISH][i])
                a->spanish[t] |= (uint32_t)1 << i;
}
