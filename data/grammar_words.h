/* grammar_words.h: the word lists and sentence templates of the corpus, as grammar.c reads them.
 * Private to data/. */
#ifndef GRADUS_DATA_GRAMMAR_WORDS_H
#define GRADUS_DATA_GRAMMAR_WORDS_H

#include "data/data.h"

/* A word's colour is its place in its list modulo GRAMMAR_COLOURS. A pair (cue word, other word) is held
 * out when both have the same colour. */
enum { GRAMMAR_COLOURS = 4, GRAMMAR_LIST_MAX = 24 };

typedef enum {
    LIST_PLAIN,  /* any word with any cue; "" stands for no word  */
    LIST_PAIRED, /* coloured                                      */
    LIST_NOUN    /* coloured, and "it" can mean it                */
} ListRule;

typedef struct {
    const char *name; /* in capitals, as templates write it */
    ListRule rule;
    const char *words[GRAMMAR_LIST_MAX + 1]; /* closed by NULL */
} WordList;

/* In the text, words in lower case stand for themselves and capitals for a list. CUE is a word from
 * cue[answer][0], a second CUE one from cue[answer][1]. For "it" the answer 0 or 1 is the first or the
 * second noun, where one in brackets, "(ANIMAL)", stands aside and does not count; for "bank" it is the
 * first or the second sense. */
typedef struct {
    SentenceKind kind;
    const char *text;
    const char *cue[2][DATA_CUES_MAX];
} Template;

extern const WordList grammar_lists[];
extern const int grammar_list_count;
extern const Template grammar_templates[];
extern const int grammar_template_count;
extern const char *const grammar_senses[2];

#endif
