/* translations_draft.h: a pair of sentences while it is written: random choices, words in both
 * languages, and the units from which the alignment follows (internal). */
#ifndef GRADUS_DATA_TRANSLATIONS_DRAFT_H
#define GRADUS_DATA_TRANSLATIONS_DRAFT_H

#include "data/corpora/corpora.h"

/* What is written, and what the present choice depends on. */
typedef struct {
    const Translations *words;
    Rng *rng;
    SentenceSplit split;
    int combinations; /* so far                                    */
    bool failed;      /* too long, too many units, or no noun fits */
    int noun;         /* for which an adjective is chosen          */
    int chosen_verb;  /* for which a noun is chosen; -1: for none  */
    int kinds;        /* of the noun or verb that is chosen        */
    SentencePair *pair;

    int units;                        /* so far; each is a bit                                */
    uint32_t verb, object;            /* the units of the verb and of a pronoun as its object */
    uint32_t now;                     /* the units of the words that are being written        */
    uint32_t unit[2][DATA_WORDS_MAX]; /* SPANISH, ENGLISH: the units of each word  */
} Draft;
enum { SPANISH, ENGLISH, BOTH };

/* A number from 0 to n - 1, each equally likely. */
int draft_below(Draft *d, int n);
/* True with a probability in percent. */
bool draft_often(Draft *d, int percent);

/* A new unit, as a bit. More than 32 set d->failed. */
uint32_t draft_unit(Draft *d);

/* Appends words to the two sentences, which belong to these units; NULL appends none. An article is
 * joined with the word before it, so that "a el" becomes "al", and "a" before a vowel becomes "an".
 * A sentence that is too long sets d->failed. */
void draft_put_as(Draft *d, uint32_t units, const char *spanish, const char *english);
/* The same, as one new unit: the words translate each other. */
void draft_put(Draft *d, const char *spanish, const char *english);

/* Chooses one of 0 .. n - 1 that fit, each equally likely; -1: none fits. */
int draft_choose(Draft *d, int n, bool (*fits)(const Draft *, int));

/* English word t is aligned to the Spanish words with which it shares a unit. */
void draft_align(const Draft *d, SentenceAlignment *a);

#endif
