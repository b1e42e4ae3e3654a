/* pairs.h: a small encoder-decoder, for rows 43 and 47: a source of letters, a target of as many.
 *
 *   source -> embedding + position -> encoder block -> norm -> memory (B, S, C)
 *   <bos> and the target -> embedding + position -> decoder block, which looks at the memory -> logits (B, T, letters)
 *
 * The memory is all of the encoder's tokens (cross-attention to each), their mean as one vector (Z:
 * "a single vector"), or a vector of zeros. */
#ifndef LECTURES_LANGUAGE_PAIRS_H
#define LECTURES_LANGUAGE_PAIRS_H

#include "lectures/06-language/language.h"

enum {
    PAIR_LETTERS = 8,
    PAIR_BOS = PAIR_LETTERS,
    PAIR_PREFIXES = 3,
    PAIR_IDS = PAIR_BOS + 1 + PAIR_PREFIXES,
    PAIR_LONGEST = 16
};

typedef enum { MEMORY_ALL, MEMORY_ONE, MEMORY_NONE } MemoryKind;

typedef struct {
    MemoryKind memory;
    int channels;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock encoder;
    Norm norm, out_norm;
    DecoderBlock decoder;
    Linear head;
} Pairs;

/* Writes a source (S) and a target (T) of letters; number: which of several tasks. */
typedef struct {
    int S, T;
    void (*draw)(Rng *rng, int *source, int *target, int T, int number);
    int number;
} PairTask;

bool pairs_model_init(Pairs *m, Params *p, int channels, MemoryKind memory);

/* Trains with batches of 32; false where a step failed. */
bool pairs_train(const Pairs *m, Params *p, const PairTask *task, int steps, uint64_t seed);

/* The share of letters named rightly, of 500 fresh pairs: after right ones (T places at once), or
 * after its own, one after another, each the likeliest after those that the model wrote. NaN where
 * logits are poison. */
double pairs_right(const Pairs *m, const PairTask *task, bool own, uint64_t seed);

#endif
