/* grammar_form.h: the templates of a grammar as grammar_build.c prepares them. Internal to
 * data/corpora/.
 *
 * A form is a parsed template: a sequence of slots, each with the list of its words. A literal word
 * is a list of one. A choice is an index into the list of each slot. */
#ifndef GRADUS_CORPORA_GRAMMAR_FORM_H
#define GRADUS_CORPORA_GRAMMAR_FORM_H

#include "data/corpora/grammar_templates.h"
#include "tensor/memory.h"

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
    int64_t size[2][2]; /* the number of sentences by split (training, held out) and answer */
} Form;

struct Grammar {
    const GrammarTable *table;
    Arena arena; /* lists and forms */
    Vocab words, labels;
    List *lists; /* in the order of the table's lists     */
    Form *forms; /* in the order of the table's templates */
};

/* Builds lists and forms from g->table. */
bool grammar_build(Grammar *g);

/* Writes the sentence of a choice; the caller sets its split. */
void grammar_write(const Grammar *g, const Form *form, int answer, const int *choice, Sentence *s);

#endif
