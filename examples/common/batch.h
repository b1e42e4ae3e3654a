/* batch.h: sequences of ids as a padded matrix, with labels or targets. */
#ifndef EXAMPLES_BATCH_H
#define EXAMPLES_BATCH_H

#include "examples/common/example.h"
#include "gradus.h"

enum { SEQUENCES_MAX = 128 };

typedef struct {
    int B, T;
    int32_t *ids;     /* (B, T)                                            */
    int32_t *targets; /* (B): a label of each sequence; (B, T): an id each */
    int32_t lengths[SEQUENCES_MAX];
} Batch;

/* Memory for SEQUENCES_MAX sequences of at most `longest` ids. */
bool batch_init(Batch *b, int longest);
void batch_free(Batch *b);

/* Fills the batch with the sequences which[0 .. B-1], padded to the longest of them and `more`
 * places. labels: of all sequences, which become the targets; NULL: the caller sets these. */
bool batch_fill(Batch *b, const Sequences *s, const int32_t *labels, const int *which, int B,
                int more);

Tensor *batch_ids(const Batch *b, Tape *tape);     /* (B, T) */
Tensor *batch_lengths(const Batch *b, Tape *tape); /* (B)    */
Tensor *batch_labels(const Batch *b, Tape *tape);  /* (B)    */

#endif
