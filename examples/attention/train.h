/* train.h: training and testing the model that predicts what "it" and "bank" mean. */
#ifndef ATTENTION_TRAIN_H
#define ATTENTION_TRAIN_H

#include "examples/attention/model.h"
#include "data/corpora/corpora.h"
#include "examples/common/run.h"

enum { SENTENCES_BATCH = 64, BATCH_MAX = 256 };
#define SENTENCES_DECAY 0.01 /* of the weights, as AdamW has it */

/* Trains a newly initialised model. metrics.tsv gets the loss and the accuracy on held-out
 * sentences. Returns false after an error. */
bool sentences_train(const Model *m, Params *p, const Grammar *g, const Common *c);

/* How sentences are drawn, and a model is tested. */
typedef struct {
    SentenceSplit split;
    int kind;      /* a SentenceKind, or -1 for all            */
    int sentences; /* how many, drawn with a seed of their own */
} Quiz;

/* Draws sentences until the batch is full. */
bool sentences_draw(SentenceBatch *batch, const Grammar *g, Rng *rng, Quiz quiz);

/* The forward pass: the logits (B, answers) of a batch. */
Tensor *sentences_logits(const Model *m, Tape *tape, const SentenceBatch *batch);

/* The learning rate of a step of so many: it rises to the peak, then falls to 0. */
double sentences_rate(int64_t step, int64_t steps, double peak);

/* The number of correct answers in a batch; -1 after an error. Resets the tape. */
int sentences_right(const Model *m, Tape *tape, const SentenceBatch *batch);

/* The accuracy: the share of sentences that the model answers correctly. */
double sentences_accuracy(const Model *m, const Grammar *g, Quiz quiz);

#endif
