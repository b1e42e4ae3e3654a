/* batch.c: see batch.h. */
#include "examples/bert/batch.h"

#include <stdlib.h>

bool batch_init(Batch *b, int longest)
{
    const size_t places = (size_t)BATCH_MAX * (size_t)longest;
    *b = (Batch){.ids = example_alloc(2 * places * sizeof *b->ids)};
    b->targets = b->ids ? b->ids + places : NULL;
    return b->ids != NULL;
}

void batch_free(Batch *b)
{
    free(b->ids);
}

bool batch_fill(Batch *b, const Sequences *s, const int *which, int B)
{
    b->B = B;
    b->T = data_sequences_longest(s, which, B);
    return data_sequences_batch(s, which, B, b->T, DATA_PAD, b->ids, b->lengths);
}

bool batch_mask(Batch *b, const Sequences *s, const int *which, const Masking *m, uint64_t seed,
                int64_t turn)
{
    bool ok = true;
    b->asked = 0;
    for (int i = 0; ok && i < b->B; i++) {
        Rng rng = {.seed = rng_hash(seed, "masks"),
                   .stream = (uint64_t)which[i] + (uint64_t)turn * (uint64_t)s->count};
        const int64_t row = (int64_t)i * b->T;
        ok = data_mask_tokens(m, &rng, b->ids + row, b->targets + row, b->T);
        for (int k = 0; k < b->T; k++)
            b->asked += b->targets[row + k] != DATA_IGNORE;
    }
    return ok;
}

Tensor *batch_ids(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->ids, shape2(b->B, b->T));
}

Tensor *batch_lengths(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->lengths, shape1(b->B));
}

Tensor *batch_targets(const Batch *b, Tape *tape)
{
    return tape_ids(tape, b->targets, shape2(b->B, b->T));
}
