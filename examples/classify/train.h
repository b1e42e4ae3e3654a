/* train.h: training on texts, and testing on held-out ones. */
#ifndef CLASSIFY_TRAIN_H
#define CLASSIFY_TRAIN_H

#include "examples/classify/model.h"
#include "examples/classify/texts.h"
#include "examples/common/batch.h"
#include "examples/common/run.h"

enum { MORE_PADDING = 16 }; /* places that a batch may have after its longest text */

/* Trains a newly initialised model. */
bool train(const Classifier *m, Params *p, const Texts *t, const Common *c);

/* On texts first .. first+count-1, those of one kind (-1: all): the accuracy and the mean loss. */
typedef struct {
    int count;
    double accuracy, loss;
} Score;
Score score(const Classifier *m, const Texts *t, int first, int count, int kind);

#endif
