/* grammar_templates.h: the tables of word lists and sentence templates, one for each grammar.
 * Internal to data/corpora/.
 *
 * The rules:
 *   - A coloured list has a multiple of GRAMMAR_COLOURS words, and a word that is in several lists has the same colour
 *     in all. Hence each answer has equally many cues whatever the other words are, in training and among the held-out
 *     pairs: only the cue determines the answer.
 *   - The two cue lists of a slot are equally long, for the same reason.
 *   - A noun in brackets is of the same sort as one that "it" can mean, and never the answer. Hence the sorts of nouns
 *     in the sentence do not determine the answer; the model has to use the position of the noun. */
#ifndef GRADUS_CORPORA_GRAMMAR_TEMPLATES_H
#define GRADUS_CORPORA_GRAMMAR_TEMPLATES_H

#include "data/corpora/corpora.h"

/* A word's colour is its index in its list modulo GRAMMAR_COLOURS. A pair (cue word, other word) is
 * held out when both have the same colour. */
enum { GRAMMAR_COLOURS = 4, GRAMMAR_LIST_MAX = 24 };

#define GRAMMAR_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
/* The labels of a template: the two nouns, or the senses of "bank". */
#define GRAMMAR_NOUNS \
    {                 \
        NULL, NULL    \
    }
#define GRAMMAR_BANK                          \
    {                                         \
        "bank: of a river", "bank: for money" \
    }

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

/* In the text, words in lower case are literal and capitals name a list. CUE is a word from
 * cue[answer][0], a second CUE one from cue[answer][1], a third one from cue[answer][2]. label: the
 * labels of the answers 0 and 1. Without them the answers are the first and the second noun, of
 * which one in brackets, "(ANIMAL)", is not counted. */
typedef struct {
    int kind;
    const char *text;
    const char *cue[2][DATA_CUES_MAX];
    const char *label[2];
} Template;

typedef struct {
    const char *query; /* the word that is asked about; NULL: the first cue           */
    int share;         /* how often the kind is drawn, against the shares of the others */
} KindRow;

/* A corpus. */
typedef struct {
    const WordList *lists;
    int list_count;
    const Template *templates;
    int template_count;
    const KindRow *kinds;
    int kind_count;
    /* the anchor is the first coloured word that is not a cue; otherwise the first cue. Then two
     * cues may be exchanged without leaving the split */
    bool noun_leads;
} GrammarTable;

extern const GrammarTable grammar_it_and_bank, grammar_phrases, grammar_reviews;

#endif
