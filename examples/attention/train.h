/* train.h: training and testing the model that names what "it" and "bank" mean. */
#ifndef ATTENTION_WORDS_H
#define ATTENTION_WORDS_H

#include "examples/attention/model.h"
#include "data/corpora/corpora.h"
#include "examples/common/run.h"

enum { BATCH_MAX = 256 };

typedef struct {
    const Common *common;
    int seed, batch; /* batch <= BATCH_MAX */
    int64_t steps;
    const char *what; /* beside the progress bar                         */
    bool one_of_many; /* of an ablation: no files, no accuracy on the way */
} TrainConfig;

/* Trains a model that was just initialised; the loss, and the share of right answers on held-out sentences, go to
 * metrics.tsv. False after an error. */
bool words_train(const Model *m, Params *p, const Grammar *g, TrainConfig config);

/* How a model is put to the test. */
typedef struct {
    SentenceSplit split;
    int kind;      /* a SentenceKind, or -1 for all                           */
    bool mask_cue; /* with <mask> in the place of the words that decide        */
    int sentences; /* how many, drawn by a seed of their own                   */
} Quiz;

/* The share of sentences whose answer the model names. */
double words_accuracy(const Model *m, const Grammar *g, Quiz quiz);

/* The answer's id for one sentence, and (unless NULL) its probability. */
int words_answer(const Model *m, const Sentence *s, double *probability);

#endif
