/* batch.c: sentences as padded ids. */
#include "data/data.h"
#include "tensor/memory.h"

bool data_batch_init(SentenceBatch *b, int room)
{
    *b = (SentenceBatch){0};
    if (room < 1)
        return tensor_fail("data_batch_init: found room for %d sentences; expected at least 1",
                           room);
    int64_t bytes;
    if (!tensor_checked_mul(room, (DATA_WORDS_MAX + 3) * (int64_t)sizeof(int32_t), &bytes))
        return tensor_fail("data_batch_init: %d sentences are too many", room);
    int32_t *block = mem_alloc((size_t)bytes);
    if (!block)
        return false;
    b->room = room;
    b->lengths = block;
    b->queries = b->lengths + room;
    b->labels = b->queries + room;
    b->ids = b->labels + room;
    return true;
}

void data_batch_free(SentenceBatch *b)
{
    mem_free(b->lengths); /* where the block begins */
    *b = (SentenceBatch){0};
}

static bool batch_fits(const SentenceBatch *b, const Sentence *sentences, int count)
{
    if (count < 1 || count > b->room)
        return tensor_fail("data_batch_fill: found %d sentences; expected 1 .. %d", count, b->room);
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
    if (!batch_fits(b, sentences, count))
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
