/* transformer.h: the blocks of an example, computed by the functions of homeworks 2, 3,
 * 3b, 4 and 4b. */
#ifndef MILESTONES_TRANSFORMER_H
#define MILESTONES_TRANSFORMER_H

#include "weights.h"

enum { TOKENS_MOST = 128, CHANNELS_MOST = 64 };

typedef struct {
    Weights weights;
    int channels, heads, layers, causal;
    int window; /* tokens to each side that the first block sees; 0: all */
} Transformer;

/* x (t, c) becomes the hidden states after all blocks and the last norm. */
void transformer_run(const Transformer *m, float *x, int t);

/* y = W x + b of one token, with weights NAME.weight (outputs, c) and NAME.bias, where it has
 * one. */
void transformer_head(const Transformer *m, const char *name, int bias, float *y, const float *x,
                      int outputs);

#endif
