/* batch.c: see batch.h. */
#include "examples/common/batch.h"

#include <stdlib.h>

bool batch_init(Batch *b, int longest)
{
    const size_t places = (size_t)SEQUENCES_MAX * (size_t)longest;
    *b = (Batch){.ids = example_alloc(2 * places * sizeof *b->ids)};
    b->targets = b->ids ? b->ids + places : NULL;
    return b->ids != NULL;
}

void batch_free(Batch *b)
{
    free(b->ids);
}

bool batch_fill(Batch *b, const Sequences *s, const int32_t *labels, const int *which, int B,
                int more)
{
    b->B = B;
    b->T = data_sequences_longest(s, which, B) + more;
    for (int i = 0; labels && i < B; i++)
        b->targets[i] = labels[which[i]];
    return data_sequences_batch(s, which, B, b->T, DATA_PAD, b->ids, b->lengths);
}

Tensor *batch_ids(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->ids, shape2(b->B, b->T));
}

Tensor *batch_lengths(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->lengths, shape1(b->B));
}

Tensor *batch_labels(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->targets, shape1(b->B));
}
