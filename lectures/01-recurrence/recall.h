/* recall.h: a task with a lag, and layers that learn it (rows 2, 3 and 5).
 *
 *   s  n_1  n_2 ... n_k  ->  s  s is one of 4 symbols, the n are drawn from 4 others and say nothing
 *
 * The symbol is asked for k tokens after it. An RNN, an LSTM, a GRU, one layer of attention, or
 * Transformer blocks read the tokens; a linear layer names the symbol from what comes out at the
 * last token. */
#ifndef LECTURES_RECALL_H
#define LECTURES_RECALL_H

#include "lectures/01-recurrence/recurrence.h"

typedef enum {
    RECALL_RNN,
    RECALL_LSTM,
    RECALL_GRU,
    RECALL_RELU,        /* an RNN with relu in place of tanh */
    RECALL_ATTENTION,   /* the last token's query to all tokens */
    RECALL_TRANSFORMER, /* pre-norm blocks, and a norm at the end */
    RECALL_KINDS
} RecallKind;
extern const char *const recall_names[RECALL_KINDS];

/* The first weights. From START_IDENTITY on there are no biases. */
typedef enum {
    START_PYTORCH,    /* W uniform, of deviation 1/sqrt(3 C); biases near 0: gates of 1/2  */
    START_ONE,        /* b_f = b_z = 1, Keras' choice for an LSTM: f = 0.73                */
    START_FORGET,     /* b_f = b_z = log k: f = z = k / (k + 1)                            */
    START_OPEN,       /* ... and b_i = -log k of an LSTM (Tallec and Ollivier 2018)        */
    START_SHUT,       /* b_f = b_z = -2: f = 0.12                                          */
    START_IDENTITY,   /* of an RNN: W_hh = I (Le, Jaitly and Hinton 2015)                  */
    START_SMALL,      /* ... and W_ih = 0.1 I                                              */
    START_ORTHOGONAL, /* of an RNN: W_hh = 1.3 Q, W_ih = 0.3 I, as in through_time.h       */
    STARTS
} RecallStart;

enum {
    RECALL_SYMBOLS = 4,
    RECALL_TOKENS = 8,
    RECALL_BATCH = 16,
    RECALL_TESTS = 25 * RECALL_BATCH,
    RECALL_LAYERS = 8
};

/* Sets the gates of an LSTM or a GRU, or the RNN's matrices, for lag k. */
void recall_start(RNNCell *cell, RecallStart start, int lag, uint64_t seed);

typedef struct {
    RecallKind kind;
    RecallStart start;
    int lag, steps; /* of the task; of Adam, whose rate falls to 0 in the second half */
    double rate;    /* 0: 0.003                                                       */
    int layers;     /* 0: one                                                         */
    bool path;      /* each recurrent layer but the first adds its input              */
} RecallSetting;

/* direct.c: left[k], k = 0 .. T - 1: the mean of log |dL/dx_(T-k)| / |dL/dy_T| over sequences of T
 * random tokens, of one such layer with these first weights (of lag T); NaN where backward
 * failed. */
void direct_log_gradients(uint64_t seed, int T, RecallKind kind, RecallStart start, double *left);

/* The mean accuracy of four runs. */
Mean recall_accuracy(uint64_t seed, RecallSetting s);

#endif
