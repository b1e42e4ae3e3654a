/* translations_lexicon.h: the words of the Spanish-English corpus. Internal to data/corpora/. */
#ifndef GRADUS_CORPORA_TRANSLATIONS_LEXICON_H
#define GRADUS_CORPORA_TRANSLATIONS_LEXICON_H

#include "data/corpora/corpora.h"

/* The kinds of nouns; combined with | the kinds that a word goes with. */
enum { PERSON = 1, THING = 2, PLACE = 4 };
enum { MASCULINE, FEMININE, GENDERS };
enum { SINGULAR, PLURAL, NUMBERS };
/* I, you (one), he or she, we, you (several), they. */
enum { PERSONS = 6, THIRD = 2, THIRD_PLURAL = 5 };

/* A thing has one gender; the other's forms are NULL. */
typedef struct {
    int kind;
    const char *spanish[GENDERS][NUMBERS], *english[GENDERS][NUMBERS];
} Noun;

typedef struct {
    int kinds; /* of the nouns that it describes */
    const char *spanish[GENDERS][NUMBERS], *english;
} Adjective;

typedef struct {
    int kinds; /* of its objects; 0: it has none */
    const char *spanish[PERSONS];
    const char *english, *english_third; /* see, sees */
} Verb;

typedef struct {
    const char *spanish[GENDERS][NUMBERS], *english[NUMBERS]; /* NULL: not in this number */
} Determiner;

/* The first two of the determiners. */
enum { INDEFINITE, DEFINITE };

typedef struct {
    const char *spanish, *english;
} Phrase;

extern const Noun translations_nouns[];
extern const Adjective translations_adjectives[];
extern const Verb translations_verbs[];
extern const Determiner translations_determiners[];
extern const Phrase translations_prepositions[], translations_adverbs[];
extern const int translations_noun_count, translations_adjective_count, translations_verb_count,
    translations_determiner_count, translations_preposition_count, translations_adverb_count;

struct Translations {
    Vocab spanish, english;
};

/* Calls `take` with each word of a text, separated by blanks; stops and returns false where it
 * returns false. */
bool translations_each_word(const char *text, bool (*take)(void *context, const char *word),
                            void *context);

#endif
