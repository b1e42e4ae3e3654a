/* models.h: the models of the benchmark. */
#ifndef GRADUS_BENCH_MODELS_H
#define GRADUS_BENCH_MODELS_H

#include "gradus.h"

enum { LAYERS_MAX = 12 };

/* Token embedding and learned positions, L pre-norm blocks, and the transposed embedding as output
 * layer. */
typedef struct {
    Embedding words;
    PositionalEncoding positions;
    TransformerBlock block[LAYERS_MAX];
    Norm norm;
    int layers;
} LanguageModel;
bool lm_init(LanguageModel *m, Params *p, int words, int longest, int channels, int heads,
             int layers);
/* The cross-entropy of the token after each token; ids, goals: (B, T). */
Tensor *lm_loss(const LanguageModel *m, Tensor *ids, Tensor *goals, Mask mask);
/* As Decoder.logits: the logits of new tokens after those in the cache. */
Tensor *lm_next(void *model, Tensor *ids, KVCache *cache);

/* Image patches as tokens, after a learned class token (cls). */
typedef struct {
    int patch;
    Linear embed, head;
    Tensor *cls, *positions; /* (1, 1, C), (1, patches + 1, C) */
    TransformerBlock block[LAYERS_MAX];
    Norm norm;
    int layers;
} VisionModel;
bool vit_init(VisionModel *m, Params *p, int side, int patch, int colours, int channels, int heads,
              int layers);
Tensor *vit(const VisionModel *m, Tensor *images); /* (B, colours, side, side) -> (B, 10) */

/* 784-400-20-400-784. */
typedef struct {
    Linear a, mean, variance, c, d;
} Autoencoder;
bool vae_init(Autoencoder *m, Params *p);
/* The negative ELBO, summed: x (B, 784) between 0 and 1, noise (B, 20). */
Tensor *vae_loss(const Autoencoder *m, Tensor *x, Tensor *noise);

#endif
