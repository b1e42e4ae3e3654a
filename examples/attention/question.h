/* question.h: a sentence of the grammar, what the model answers, and the maps that it makes: for
 * pictures, and for a page in which a reader types one. */
#ifndef ATTENTION_QUESTION_H
#define ATTENTION_QUESTION_H

#include "examples/attention/train.h"
#include "examples/common/html.h"

typedef struct {
    Sentence sentence;
    const char *words[DATA_WORDS_MAX]; /* as they appear in the pictures                */
    int answer;                        /* in data_grammar_labels; of question_ask       */
    double probability;                /* of the answer                                 */
    char says[256];                    /* "it" is the animal                            */
    char title[512];                   /* the same after the word that decides: "tired: ..." */
} Question;

/* Reads a sentence. Error: data_grammar_parse's. */
bool question_read(Question *q, const Grammar *g, const char *text);

/* Sets the model's answer and the texts that say it. False after an error. */
bool question_ask(Question *q, const Model *m, const Grammar *g);

/* Sets the texts that say q->answer. */
void question_say(Question *q, const Grammar *g);

/* A head that adds nothing, or, with a query, an arc: the weight from that word to the key, of
 * one head, which is 0. */
typedef struct {
    int layer, head;
    int query, key; /* -1: the whole head */
} Cut;

/* The same on this tape, with so many cuts, with maps for questions_html, and backward from -log p
 * of the right answer; where none is known, of the likeliest. */
bool question_run(Question *q, const Model *m, Tape *tape, const Cut *cuts, int count);

/* The word to which the asked one should attend; -1: it is not known. */
int question_target(const Question *q);

/* Runs all sentences forward on one tape, with their maps, and, for the gradients, backward from
 * the sum of their losses. */
bool questions_run(const Model *m, Tape *tape, const Question *q, int count, bool gradients);

/* Adds the maps of questions_run to a page. */
bool questions_html(Html *html, const Model *m, Tape *tape, const Question *q, int count);

#endif
