/* model.h: a decoder-only language model, which predicts the next token from the tokens so far.
 *
 *   tokens -> embedding + learned position -> causal transformer blocks -> LayerNorm -> logits of the next token
 *
 * (Z "Decoder transformers: GPT model", B "Transformer-based LM: Overview".) Pre-norm; the output
 * projection is tied to the embedding. */
#ifndef GPT_MODEL_H
#define GPT_MODEL_H

#include "gradus.h"

enum { LAYERS_MAX = 24 };

typedef struct {
    int words;   /* V: of the vocabulary                      */
    int longest; /* T: the context length                    */
    int channels, heads, layers;
    int position; /* a PositionKind                            */
    int unmasked; /* 1: no causal mask                        */
} GptConfig;

typedef struct {
    GptConfig config;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock blocks[LAYERS_MAX];
    Norm norm;
    Linear head; /* tied to the embedding */
} Gpt;

/* The initial matrices are normal with standard deviation 0.02. */
bool gpt_init(Gpt *m, Params *p, GptConfig config);

/* ids (B, T) -> what the output projection reads, (B, T, C): after the last block and the norm. */
Tensor *gpt_states(const Gpt *m, Tensor *ids);

/* ids (B, T) -> logits (B, T, V) of the token after each position. */
Tensor *gpt_logits(const Gpt *m, Tensor *ids);

/* The same for new tokens after those in the cache: a Decoder's `logits`; model is a Gpt. */
Tensor *gpt_logits_cached(void *model, Tensor *ids, KVCache *cache);

/* Allocates a cache for B sequences. */
bool gpt_cache(const Gpt *m, KVCache *cache, int64_t batch);

#endif
