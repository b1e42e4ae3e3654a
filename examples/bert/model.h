/* model.h: a small BERT: an encoder with two output layers.
 *
 *   ids (B, T) -> embedding + position -> L blocks -> LayerNorm -> hidden (B, T, C)
 *   hidden -> linear, GELU, LayerNorm -> product with the embedding -> logits of words (B, T, V)
 *   hidden state of <class>, the first token -> linear -> logits of classes (B, classes)
 *
 * A token attends to all tokens before and after it, except to padding.
 * Devlin et al. 2018; Z "Encoder transformers". */
#ifndef BERT_MODEL_H
#define BERT_MODEL_H

#include "gradus.h"

enum { BERT_LAYERS_MAX = 12 };

typedef struct {
    int tokens, classes; /* V, and the number of classes of a sentence   */
    int channels, heads, layers;
    int longest; /* sequence, <class> included */
    double dropout;
} BertConfig;

typedef struct {
    BertConfig config;
    Encoder encoder;
    Linear transform; /* of the hidden states ...                   */
    Norm transform_norm;
    Linear words;   /* ... the output layer, tied to the embedding */
    Linear classes; /* classification layer on <class>             */
} Bert;

bool bert_init(Bert *m, Params *p, BertConfig config);

/* ids (B, T) -> (B, T, C). lengths (B): tokens of each sequence; NULL: no padding. */
Tensor *bert_hidden(const Bert *m, Tensor *ids, Tensor *lengths);

/* Logits (B, T, V) of the word at each position. */
Tensor *bert_words(const Bert *m, Tensor *hidden);

/* Logits (B, classes) of the class of each sentence. */
Tensor *bert_class(const Bert *m, Tensor *hidden);

#endif
