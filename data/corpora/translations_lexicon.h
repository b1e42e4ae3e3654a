/* translations_lexicon.h: the words of the Spanish-English corpus, as translations.c puts them together. Private
 * to data/. */
#ifndef GRADUS_DATA_TRANSLATIONS_WORDS_H
#define GRADUS_DATA_TRANSLATIONS_WORDS_H

#include "data/corpora/corpora.h"

/* What a noun is, and what a word goes with: combine them with |. */
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
    int kinds; /* of the nouns it goes with */
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

/* The words of a text, one blank or more between them, one by one to `take`; false where that says false. */
bool translations_each_word(const char *text, bool (*take)(void *context, const char *word),
                            void *context);

#endif
