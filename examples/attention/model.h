/* model.h: the encoder that the attention example trains.
 *
 *   ids (B, T) -> embedding + position -> L blocks -> LayerNorm -> hidden (B, T, C)
 *
 * and a linear layer on top, at the queried word: what does "it" mean? */
#ifndef ATTENTION_MODEL_H
#define ATTENTION_MODEL_H

#include "gradus.h"

enum { LAYERS_MAX = 12 };

typedef struct {
    int words, answers; /* sizes of the vocabularies of input and output */
    int channels, heads, layers;
    int longest;  /* sequence */
    int position; /* a PositionKind */
    double dropout;
    int causal;     /* 1: no position sees later ones */
    int window;     /* words to each side that the first block sees; 0: all */
    bool rotary;    /* rotates queries and keys; with POSITION_NONE */
    bool post_norm; /* as in BlockConfig */
} ModelConfig;

typedef struct {
    ModelConfig config;
    Rotary rotary; /* of a model that is rotary */
    Encoder encoder;
    Linear head;
} Model;

bool model_init(Model *m, Params *p, ModelConfig config);

/* Logits (N, answers) at N positions, each given as the row b * T + t of the hidden states. */
Tensor *model_answer(const Model *m, Tensor *ids, Tensor *lengths, Tensor *positions);

#endif
