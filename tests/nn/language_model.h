/* language_model.h: the small transformer that several tests train: embedding, learned positions,
 * pre-norm blocks, LayerNorm, head. */
#ifndef GRADUS_TESTS_LANGUAGE_MODEL_H
#define GRADUS_TESTS_LANGUAGE_MODEL_H

#include "nn/nn.h"

enum { LANGUAGE_LAYERS = 2 };

typedef struct {
    uint64_t seed;
    int words, channels, heads, longest;
    double dropout;
} LanguageConfig;

typedef struct {
    Params *params;
    Tape *tape;
    Encoder encoder;
    Linear head;
} LanguageModel;

/* False, with the error pending, when memory is out; close it even then. */
bool language_open(LanguageModel *m, LanguageConfig config);
void language_close(LanguageModel *m);

/* ids (B, T) -> (B, T, words); every token sees those before it. */
Tensor *language_logits(const LanguageModel *m, Tensor *ids);

/* All weights one after another, params_size(m->params) numbers. */
void language_weights(const LanguageModel *m, real *out);

#endif
