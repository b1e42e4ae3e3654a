/* small_decoder.h: a decoder-only model with random weights, for tests of decoding. */
#ifndef GRADUS_TESTS_SMALL_DECODER_H
#define GRADUS_TESTS_SMALL_DECODER_H

#include "tests/harness/runner.h"

#include "nn/decode/decode.h"

enum { V = 13, C = 12, H = 3, LAYERS = 2, LONGEST = 24 };

/* The bound of cached against full logits; in double, a few hundred roundings. */
#define LOGITS_CLOSE (sizeof(real) == sizeof(double) ? 1e-12 : 1e-4)

typedef struct {
    Params *params;
    Tape *tape;
    Gpt gpt;
    KVCache cache;
    int fail_in; /* passes until one fails; 0: none does */
} Model;

/* A case with a model of learned positions, whose cache is for MODEL_BATCH sequences. */
enum { MODEL_BATCH = 3 };
bool model_usual(Model *m);
#define MODEL_TEST(function) TEST_WITH(function, Model, m, model_usual, model_free)

/* The cache is for `batch` sequences of LONGEST tokens; the tape is without gradients. */
bool model_make(Model *m, int64_t batch, PositionKind kind);
void model_free(Model *m);

/* Logits (B, T, V) by way of the cache; a Decoder's `logits`. */
Tensor *model_cached(void *model, Tensor *ids, KVCache *cache);

/* The logits (V) after token t of one sequence, by the full forward pass over its first t + 1
 * tokens. */
const real *model_full_logits(Model *m, const int *ids, int t);

#endif
