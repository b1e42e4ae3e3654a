/* transformer.h: the encoder-decoder of "Attention is all you need" (2017), fig. 1.
 *
 *   source -> embedding sqrt(C) + position -> L encoder blocks ------------------> memory
 *   target -> embedding sqrt(C) + position -> L decoder blocks with cross-attention to memory -> logits of the next word
 *
 * (V "Transformer", V "Encoder Block Summarized", V "Decoder Block: Summarized", H "Transformer
 * Decoder in Seq2Seq", Z "Sequence-to-sequence (encoder-decoder)".) Post-norm as in the paper, or
 * pre-norm with a final norm. The output projection is tied to the target embedding (section 3.4 of
 * the paper). */
#ifndef TRANSLATE_TRANSFORMER_H
#define TRANSLATE_TRANSFORMER_H

#include "gradus.h"

enum { LAYERS_MAX = 12 };

/* The settings of either translator; heads, layers, pre_norm and position are the Transformer's. */
typedef struct {
    int from_words, to_words; /* V of either side                                  */
    int longest;              /* sentence, in tokens, <bos> or <eos> included      */
    int channels, heads, layers;
    int hidden; /* of a feed-forward layer, or of the RNN's state, half of it in each direction */
    int pre_norm, position; /* a PositionKind                                    */
    int blind;              /* 1: no cross-attention, for the ablation           */
    double dropout;
} TranslatorConfig;

typedef struct {
    TranslatorConfig config;
    Embedding from, to;
    PositionalEncoding position;
    TransformerBlock encoder[LAYERS_MAX];
    DecoderBlock decoder[LAYERS_MAX];
    Norm encoder_norm, decoder_norm; /* pre-norm only */
    Linear head;                     /* tied to `to` */
} Transformer;

bool transformer_init(Transformer *m, Params *p, TranslatorConfig config);

/* Encodes sources, ids (B, S) with lengths (B), to memory (B, S, C). */
Tensor *transformer_encode(const Transformer *m, Tensor *ids, Tensor *lengths);

/* Logits (B, T, V) of the token after each token of targets, ids (B, T) with target_lengths (B). */
Tensor *transformer_decode(const Transformer *m, Tensor *memory, Tensor *lengths, Tensor *ids,
                           Tensor *target_lengths);

/* The same with caches: the memory's keys and values are computed once; new tokens, ids (B, T),
 * follow those written. */
bool transformer_read(const Transformer *m, Tensor *memory, const int *lengths, KVCache *source);
Tensor *transformer_write(const Transformer *m, Tensor *ids, KVCache *written,
                          const KVCache *source);

#endif
