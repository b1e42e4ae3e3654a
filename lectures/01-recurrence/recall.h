/* recall.h: a task with a lag, and layers that learn it (rows 2, 3 and 5).
 *
 *   s  n_1  n_2 ... n_k  ->  s        s is one of 4 symbols, the n are drawn from 4 others and say nothing
 *
 * After k further tokens the first one is asked for. An RNN, an LSTM, a GRU, one layer of attention, or
 * Transformer blocks read the tokens; a linear layer names the symbol from what comes out at the last token. */
#ifndef LECTURES_RECALL_H
#define LECTURES_RECALL_H

#include "lectures/01-recurrence/recurrence.h"

typedef enum {
    RECALL_RNN,
    RECALL_LSTM,
    RECALL_GRU,
    RECALL_ATTENTION,   /* the last token's query to all tokens */
    RECALL_TRANSFORMER, /* pre-norm blocks, and a norm at the end */
    RECALL_KINDS
} RecallKind;
extern const char *const recall_names[RECALL_KINDS];

/* How the first weights differ from PyTorch's: the gates that keep (f of an LSTM, z of a GRU) and that let in (i). */
typedef enum {
    START_PYTORCH,
    START_OPEN, /* b_f = b_z = log k, b_i = -log k: f = k / (k + 1) (Tallec and Ollivier 2018)  */
    START_SHUT, /* b_f = b_z = -2: f = 0.12                                                  */
    START_IDENTITY /* W_hh of the RNN is the identity (Le, Jaitly and Hinton 2015)              */
} RecallStart;

enum {
    RECALL_SYMBOLS = 4,
    RECALL_TOKENS = 8,
    RECALL_BATCH = 16,
    RECALL_TESTS = 25 * RECALL_BATCH,
    RECALL_LAYERS = 8
};

/* Sets the gates of an LSTM or a GRU, or the RNN's matrix, for lag k. */
void recall_start(RNNCell *cell, RecallStart start, int lag);

typedef struct {
    RecallKind kind;
    RecallStart start;
    int lag,
        steps; /* of the task, and of Adam: at the rate 0.01, which falls to 0 in the second half */
    bool until_learned; /* no further step once it has learned; the rate stays */
    int layers;         /* 0: one                                               */
    bool path;          /* each recurrent layer but the first adds its input    */
} RecallSetting;

typedef struct {
    double accuracy; /* on 400 fresh sequences; NaN where no logit was computed       */
    int learned;     /* the step after which 95 % of the last 20 batches were right; 0: never */
} Recalled;

Recalled recall_train(uint64_t seed, RecallSetting s);

/* The mean accuracy of three runs. */
Mean recall_accuracy(uint64_t seed, RecallSetting s);

#endif
