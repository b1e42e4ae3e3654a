/* words.h: training and testing the model that names what "it" and "bank" mean. */
#ifndef ATTENTION_WORDS_H
#define ATTENTION_WORDS_H

#include "examples/attention/model.h"

enum { BATCH_MAX = 256 };

typedef struct {
    int seed, steps, batch; /* batch <= BATCH_MAX */
    double rate;            /* the highest learning rate */
    bool quiet;
    const char *what; /* beside the progress bar */
} TrainConfig;

/* What was measured on the way: the loss of training batches (means over a stretch of steps) and, for
 * words, the share of right answers on held-out sentences. */
enum { CURVE_POINTS = 40 };
typedef struct {
    int points;
    double step[CURVE_POINTS], loss[CURVE_POINTS], accuracy[CURVE_POINTS];
} Curve;

/* Trains a model that was just initialised. Returns the seconds it took. */
double words_train(const Model *m, Params *p, const Grammar *g, TrainConfig config, Curve *curve);

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
