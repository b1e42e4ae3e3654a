/* train.h: learning from texts, and being tested on those held out. */
#ifndef CLASSIFY_TRAIN_H
#define CLASSIFY_TRAIN_H

#include "examples/classify/model.h"
#include "examples/classify/texts.h"
#include "examples/common/run.h"

enum { BATCH_MAX = 64 };

/* Texts as a batch of ids, padded to the longest of them. */
typedef struct {
    int B, T;
    int32_t *ids; /* (BATCH_MAX, longest + padding) */
    int32_t lengths[BATCH_MAX], labels[BATCH_MAX];
} TextBatch;

enum { MORE_PADDING = 16 };

bool batch_init(TextBatch *b, int longest);
/* Texts which[0 .. B-1], and `more` places of padding behind the longest. */
bool batch_fill(TextBatch *b, const Texts *t, const int *which, int B, int more);
void batch_free(TextBatch *b);

/* Trains a model that was just initialised. one_of_many: what it is called as one of an ablation, which leaves no
 * files; else NULL. */
bool train(const Classifier *m, Params *p, const Texts *t, const Common *c, int seed,
           const char *one_of_many);

/* On texts first .. first+count-1, those of one kind (-1: all): the share of right labels and the mean loss. */
typedef struct {
    int count;
    double accuracy, loss;
} Score;
Score score(const Classifier *m, const Texts *t, int first, int count, int kind);

/* The most probable label of a text, and the probability of each. -1 on an error. */
int most_likely(const Classifier *m, const int32_t *ids, int n, double *probability);

#endif
