/* model.h: BERT in small: an encoder with two things on top of it.
 *
 *   ids (B, T) -> embedding + position -> L blocks -> LayerNorm -> hidden (B, T, C)
 *   hidden -> linear, GELU, LayerNorm -> times the embedding's table -> a word for each place (B, T, V)
 *   hidden of <class>, which is the first token -> linear -> a class for the sentence (B, classes)
 *
 * Nothing is hidden from a token but the padding: it sees the words before it and those after it.
 * Devlin et al. 2018; Z "Encoder transformers". */
#ifndef BERT_MODEL_H
#define BERT_MODEL_H

#include "gradus.h"

enum { BERT_LAYERS_MAX = 12 };

typedef struct {
    int tokens, classes; /* V, and how many answers for a whole sentence */
    int channels, heads, layers;
    int longest; /* sequence, <class> included */
    double dropout;
} BertConfig;

typedef struct {
    BertConfig config;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock blocks[BERT_LAYERS_MAX];
    LayerNorm norm;
    Linear transform; /* of the words' output ...                   */
    LayerNorm transform_norm;
    Linear words;   /* ... whose weight is the embedding's table   */
    Linear classes; /* of the class token's output                 */
} Bert;

bool bert_init(Bert *m, Params *p, BertConfig config);

/* ids (B, T) -> (B, T, C). lengths (B): tokens of each sequence; NULL: no padding. */
Tensor *bert_hidden(const Bert *m, Tensor *ids, Tensor *lengths);

/* Logits (B, T, V) of the word at each place. */
Tensor *bert_words(const Bert *m, Tensor *hidden);

/* Logits (B, classes) of the whole sentence. */
Tensor *bert_class(const Bert *m, Tensor *hidden);

#endif
