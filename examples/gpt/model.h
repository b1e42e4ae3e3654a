/* model.h: a decoder-only language model: what comes next, given what came so far.
 *
 *   tokens -> vector + learned place -> causal transformer blocks -> norm -> which token is next?
 *
 * (Z "Decoder transformers: GPT model", B "Transformer-based LM: Overview".) Pre-norm; the last projection's
 * weights are the embedding's: a token's vector says both what it means and what it looks like as an answer. */
#ifndef GPT_MODEL_H
#define GPT_MODEL_H

#include "gradus.h"

enum { LAYERS_MAX = 24 };

typedef struct {
    int words;   /* V: of the vocabulary                      */
    int longest; /* T: so many tokens it sees at most         */
    int channels, heads, layers;
    int position; /* a PositionKind                            */
    int unmasked; /* 1: it may look ahead, to see what happens */
} GptConfig;

typedef struct {
    GptConfig config;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock blocks[LAYERS_MAX];
    LayerNorm norm;
    Linear head; /* its weight is the embedding's */
} Gpt;

/* Matrices begin normal with deviation 0.02. */
bool gpt_init(Gpt *m, Params *p, GptConfig config);

/* ids (B, T) -> logits (B, T, V): at each place, for the token behind it. */
Tensor *gpt_logits(const Gpt *m, Tensor *ids);

/* The same for new tokens behind those in the cache: a Decoder's `logits`; model is a Gpt. */
Tensor *gpt_logits_cached(void *model, Tensor *ids, KVCache *cache);

/* KernelScratch for B sequences. */
bool gpt_cache(const Gpt *m, KVCache *cache, int64_t batch);

#endif
