/* translations_draft.h: a pair of sentences while it is written: random choices, words in both languages (internal). */
#ifndef GRADUS_DATA_TRANSLATIONS_DRAFT_H
#define GRADUS_DATA_TRANSLATIONS_DRAFT_H

#include "data/corpora/corpora.h"

/* What is written, and what the present choice depends on. */
typedef struct {
    const Translations *words;
    Rng *rng;
    SentenceSplit split;
    int combinations; /* so far                                    */
    bool failed;      /* the sentence is too long                  */
    int noun;         /* for which an adjective is chosen          */
    int verb;         /* for which a noun is chosen; -1: for none  */
    int kinds;        /* of the noun or verb that is chosen        */
    SentencePair *pair;
} Draft;

/* A number from 0 to n - 1, each equally likely. */
int draft_below(Draft *d, int n);
/* True with a probability in percent. */
bool draft_often(Draft *d, int percent);

/* Appends words to the two sentences; NULL appends none. The articles are joined with the word before them: "a el" is
 * written "al", and "a" before a vowel "an". A sentence that is too long sets d->failed. */
void draft_put(Draft *d, const char *spanish, const char *english);

/* Chooses one of 0 .. n - 1 that fit, each equally likely; -1: none fits. */
int draft_choose(Draft *d, int n, bool (*fits)(const Draft *, int));

#endif
