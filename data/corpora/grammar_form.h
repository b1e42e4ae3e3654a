/* grammar_form.h: the corpus's templates, ready for use. Private to data/.
 *
 * A form is a template taken apart: a row of slots, each with the list its word comes from. A word that
 * stands for itself is a list of one. A choice is one index into each slot's list. */
#ifndef GRADUS_DATA_GRAMMAR_FORM_H
#define GRADUS_DATA_GRAMMAR_FORM_H

#include "data/corpora/grammar_templates.h"

typedef struct {
    ListRule rule;
    int count;
    int32_t ids[GRAMMAR_LIST_MAX]; /* in Grammar.words; -1 where the word is "" */
} List;

typedef struct {
    const List *list[2]; /* by answer; they differ in cue slots only */
    bool cue;
} Slot;

typedef struct {
    int kind;
    int count;
    Slot slots[DATA_WORDS_MAX];
    int anchor;         /* the slot whose colour is the sentence's: GrammarTable.noun_leads */
    int query;          /* the slot of "it" or "bank", or of the first cue                 */
    int nouns[2];       /* the slots of the two nouns that "it" may mean                   */
    int32_t labels[2];  /* of the two answers; -1 where they are the nouns                 */
    int64_t size[2][2]; /* how many sentences, by split (training, held out) and answer   */
} Form;

struct Grammar {
    const GrammarTable *table;
    Arena arena; /* lists and forms */
    Vocab words, labels;
    List *lists; /* in the order of the table's lists     */
    Form *forms; /* in the order of the table's templates */
};

/* Lists and forms from g->table; false when it breaks the rules of grammar_templates.h. */
bool grammar_build(Grammar *g);

/* Writes the sentence that a choice gives; `split` is left to the caller. */
void grammar_write(const Grammar *g, const Form *form, int answer, const int *choice, Sentence *s);

#endif
