/* sequences.c: sequences of ids of any length, stored one after another, and padded batches of
 * them.
 *
 *   sequence i is ids[start[i]] .. ids[start[i + 1] - 1]
 *
 * In a batch each row is padded to the length T, and `lengths` says where the sequence ends. The
 * order in which an epoch visits the sequences is a function of seed and epoch. */
#include "data/data.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

static int64_t larger_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Makes the arrays long enough for one sequence more, of n ids. */
static bool reserve(Sequences *s, int64_t n)
{
    int64_t used = s->count ? s->start[s->count] : 0;
    if (s->count == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 16;
        int64_t *start =
            mem_grow(s->start, s->capacity ? ((size_t)s->capacity + 1) * sizeof *start : 0,
                     ((size_t)capacity + 1) * sizeof *start);
        if (!start)
            return false;
        start[s->count] = used;
        s->start = start;
        s->capacity = capacity;
    }
    if (used + n > s->ids_capacity) {
        int64_t capacity = larger_of(2 * s->ids_capacity, used + n);
        int32_t *ids = mem_grow(s->ids, (size_t)used * sizeof *ids, (size_t)capacity * sizeof *ids);
        if (!ids)
            return false;
        s->ids = ids;
        s->ids_capacity = capacity;
    }
    return true;
}

bool data_sequences_add(Sequences *s, const int32_t *ids, int64_t n)
{
    if (!s || !ids)
        return null_fail("data_sequences_add", "sequences and ids");
    if (n < 1 || s->count == DATA_SEQUENCES_MAX)
        return tensor_fail(
            "data_sequences_add: found %lld ids for sequence %d; expected at least 1, "
            "and at most %d sequences",
            (long long)n, s->count, DATA_SEQUENCES_MAX);
    if (!reserve(s, n))
        return false;
    memcpy(s->ids + s->start[s->count], ids, (size_t)n * sizeof *ids);
    s->start[s->count + 1] = s->start[s->count] + n;
    s->count++;
    return true;
}

void data_sequences_free(Sequences *s)
{
    if (!s)
        return;
    mem_free(s->start);
    mem_free(s->ids);
    *s = (Sequences){0};
}

static int64_t longest_of(const Sequences *s, const int32_t *which, int64_t B, const char *who)
{
    int64_t longest = 0;
    if (!s || !which)
        return null_fail(who, "sequences and their numbers"), -1;
    if (B < 1)
        return tensor_fail("%s: found a batch of %lld; expected 1 or more", who, (long long)B), -1;
    for (int64_t b = 0; b < B; b++) {
        if (which[b] < 0 || which[b] >= s->count)
            return tensor_fail("%s: which[%lld] is %d; expected 0 .. %d", who, (long long)b,
                               which[b], s->count - 1),
                   -1;
        longest = larger_of(longest, s->start[which[b] + 1] - s->start[which[b]]);
    }
    return longest;
}

int64_t data_sequences_longest(const Sequences *s, const int32_t *which, int64_t B)
{
    return longest_of(s, which, B, "data_sequences_longest");
}

bool data_sequences_batch(const Sequences *s, const int32_t *which, int64_t B, int64_t T,
                          int32_t pad, int32_t *ids, int32_t *lengths)
{
    int64_t longest = longest_of(s, which, B, "data_sequences_batch");
    if (longest < 0)
        return false;
    if (!ids || !lengths)
        return null_fail("data_sequences_batch", "ids and lengths");
    if (T < longest)
        return tensor_fail(
            "data_sequences_batch: found T = %lld; expected at least %lld, the longest",
            (long long)T, (long long)longest);
    for (int64_t b = 0; b < B; b++) {
        int64_t begin = s->start[which[b]], n = s->start[which[b] + 1] - begin;
        int32_t *row = ids + b * T;
        memcpy(row, s->ids + begin, (size_t)n * sizeof *row);
        for (int64_t t = n; t < T; t++)
            row[t] = pad;
        lengths[b] = (int32_t)n;
    }
    return true;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static void random_order(Rng r, int32_t *items, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        items[i] = (int32_t)i;
    rng_shuffle(&r, items, n);
}

void data_order(int32_t *items, int64_t n, uint64_t seed, uint64_t epoch)
{
    if (n < 0 || (!items && n > 0))
        tensor_fail("data_order: found %lld items%s; expected 0 or more in an array", (long long)n,
                    items ? "" : " at NULL");
    else
        random_order((Rng){.seed = rng_hash(seed, "data_order"), .stream = epoch}, items, n);
}

int64_t data_split(int32_t *items, int64_t n, double held_out, uint64_t seed)
{
    if (n < 0 || (!items && n > 0) || !(held_out >= 0 && held_out <= 1)) {
        tensor_fail("data_split: found %lld items%s and a share of %g to hold out; expected 0 or "
                    "more in an array, and 0 to 1",
                    (long long)n, items ? "" : " at NULL", held_out);
        return -1;
    }
    random_order((Rng){.seed = rng_hash(seed, "data_split")}, items, n);
    return n - (int64_t)(held_out * (double)n + 0.5);
}
