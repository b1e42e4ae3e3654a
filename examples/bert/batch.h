/* batch.h: sequences as a padded matrix of ids, with their targets. */
#ifndef BERT_BATCH_H
#define BERT_BATCH_H

#include "examples/common/example.h"
#include "gradus.h"

enum { BATCH_MAX = 128 };

typedef struct {
    int B, T, asked;        /* asked: the places that have a target */
    int32_t *ids, *targets; /* (BATCH_MAX, longest) */
    int32_t lengths[BATCH_MAX];
} Batch;

bool batch_init(Batch *b, int longest);
void batch_free(Batch *b);

/* Fills the batch with the sequences which[0 .. B-1], padded to the longest of them, without
 * targets. */
bool batch_fill(Batch *b, const Sequences *s, const int *which, int B);

/* Masks words of the batch. The random stream of a sequence is its number plus `turn` times the
 * number of sequences, so that the same turn gives the same masks. */
bool batch_mask(Batch *b, const Sequences *s, const int *which, const Masking *m, uint64_t seed,
                int64_t turn);

Tensor *batch_ids(const Batch *b, Tape *tape);     /* (B, T)                          */
Tensor *batch_lengths(const Batch *b, Tape *tape); /* (B)                             */
Tensor *batch_targets(const Batch *b, Tape *tape); /* (B, T), DATA_IGNORE: no target  */

#endif
