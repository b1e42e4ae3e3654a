/* batch.c: sentences as padded ids.
 *
 * All arrays are in one block of memory, which begins with `lengths`. */
#include "data/corpora/corpora.h"
#include "data/null.h"
#include "tensor/memory.h"

bool data_batch_init(SentenceBatch *b, int capacity)
{
    if (!b)
        return null_fail("data_batch_init", "a batch");
    *b = (SentenceBatch){0};
    if (capacity < 1)
        return tensor_fail("data_batch_init: found a capacity of %d sentences; expected at least 1",
                           capacity);
    const size_t each = (DATA_WORDS_MAX + 3) * sizeof(int32_t); /* ids, labels, queries, lengths */
    if (capacity > PTRDIFF_MAX / (int64_t)each)
        return tensor_fail("data_batch_init: found a capacity of %d sentences; expected one that "
                           "memory can hold",
                           capacity);
    int32_t *block = mem_alloc((size_t)capacity * each);
    if (!block)
        return false;
    b->capacity = capacity;
    b->lengths = block;
    b->queries = b->lengths + capacity;
    b->labels = b->queries + capacity;
    b->ids = b->labels + capacity;
    return true;
}

void data_batch_free(SentenceBatch *b)
{
    if (!b)
        return;
    mem_free(b->lengths); /* the beginning of the block */
    *b = (SentenceBatch){0};
}

static bool batch_check(const SentenceBatch *b, const Sentence *sentences, int count)
{
    if (!b || !sentences)
        return null_fail("data_batch_fill", "a batch and sentences");
    if (count < 1 || count > b->capacity)
        return tensor_fail("data_batch_fill: found %d sentences; expected 1 .. %d", count,
                           b->capacity);
    for (int i = 0; i < count; i++) {
        const Sentence *s = &sentences[i];
        if (s->length < 1 || s->length > DATA_WORDS_MAX || s->query < 0 || s->query >= s->length)
            return tensor_fail(
                "data_batch_fill: sentence %d: found %d words and query %d; expected "
                "1 .. %d words and a query among them",
                i, s->length, s->query, DATA_WORDS_MAX);
    }
    return true;
}

bool data_batch_fill(SentenceBatch *b, const Sentence *sentences, int count)
{
    if (!batch_check(b, sentences, count))
        return false;
    b->B = count;
    b->T = 0;
    for (int i = 0; i < count; i++)
        b->T = sentences[i].length > b->T ? sentences[i].length : b->T;
    for (int i = 0; i < count; i++) {
        const Sentence *s = &sentences[i];
        int32_t *row = b->ids + (int64_t)i * b->T;
        for (int t = 0; t < b->T; t++)
            row[t] = t < s->length ? s->ids[t] : DATA_PAD;
        b->lengths[i] = s->length;
        b->queries[i] = i * b->T + s->query;
        b->labels[i] = s->label;
    }
    return true;
}
