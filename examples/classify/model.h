/* model.h: a text classifier.
 *
 *   ids (B, T) -> embedding + position -> L blocks -> LayerNorm -> hidden (B, T, C)
 *   -> one vector a text (B, C): the mean over its tokens, or the hidden state at <class>
 *   -> linear -> logits (B, classes)
 *
 * Texts of a batch have different lengths, so the shorter ones are padded. The padding must not
 * count, neither in attention, where `lengths` masks it, nor in the mean. J "Transformer Encoder
 * for Text Classification", H, Z. */
#ifndef CLASSIFY_MODEL_H
#define CLASSIFY_MODEL_H

#include "gradus.h"

enum { CLASSIFIER_LAYERS_MAX = 12 };

typedef enum { POOL_MEAN, POOL_CLASS } Pool;

typedef struct {
    int words, classes;
    int channels, heads, layers; /* 0 layers: a bag of words */
    int longest;                 /* text, in tokens, padding included */
    int position;                /* a PositionKind            */
    int pool;                    /* a Pool                    */
    double dropout;
} ClassifierConfig;

typedef struct {
    ClassifierConfig config;
    Encoder encoder;
    Linear classes;
} Classifier;

bool classifier_init(Classifier *m, Params *p, ClassifierConfig config);

/* ids (B, T), lengths (B): tokens of each text -> logits (B, classes). */
Tensor *classifier_logits(const Classifier *m, Tensor *ids, Tensor *lengths);

#endif
