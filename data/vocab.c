/* vocab.c: words <-> ids.
 *
 * A word's id is the number of words that were added before it. A hash table with linear probing
 * finds a word's id. Invariant: the table has twice as many slots as the capacity in words, so that
 * at least half of the slots are free and a search is short. Words and tables are in one arena; the
 * smaller tables that growing leaves there are together smaller than the last ones, because the
 * capacity doubles. */
#include "data/data.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

enum { FIRST_CAPACITY = 64, LONGEST_COMPARED = 63 };

/* The slot that holds the word, or the free slot where it belongs. */
static int64_t vocab_slot(const Vocab *v, const char *word)
{
    const int64_t slots = 2 * (int64_t)v->capacity;
    int64_t slot = (int64_t)(rng_hash(0, word) % (uint64_t)slots);
    while (v->slots[slot] >= 0 && strcmp(v->words[v->slots[slot]], word) != 0)
        slot = (slot + 1) % slots;
    return slot;
}

/* Doubles the capacity and fills the new hash table. */
static bool vocab_grow(Vocab *v)
{
    if (v->capacity > INT32_MAX / 4)
        return tensor_fail("data_vocab_add: found %d words; expected at most as many", v->count);
    if (!v->own && !(v->own = mem_zeroed(sizeof *v->own)))
        return false;
    const int capacity = v->capacity ? 2 * v->capacity : FIRST_CAPACITY;
    const char **words = arena_alloc(v->own, (size_t)capacity * sizeof *words);
    int32_t *slots = arena_alloc(v->own, 2 * (size_t)capacity * sizeof *slots);
    if (!words || !slots)
        return false;
    if (v->count)
        memcpy(words, v->words, (size_t)v->count * sizeof *words);
    memset(slots, 0xFF, 2 * (size_t)capacity * sizeof *slots); /* all -1 */
    v->words = words, v->slots = slots, v->capacity = capacity;
    for (int id = 0; id < v->count; id++)
        v->slots[vocab_slot(v, v->words[id])] = id;
    return true;
}

int32_t data_vocab_add(Vocab *v, const char *word)
{
    if (!v || !word)
        return null_fail("data_vocab_add", "a vocabulary and a word"), -1;
    const int known = data_vocab_find(v, word);
    if (known >= 0)
        return known;
    if (v->count == v->capacity && !vocab_grow(v))
        return -1;
    const size_t bytes = strlen(word) + 1;
    char *copy = arena_copy(v->own, word, bytes);
    if (!copy)
        return -1;
    v->slots[vocab_slot(v, copy)] = v->count;
    v->words[v->count] = copy;
    return v->count++;
}

bool data_vocab_specials(Vocab *v)
{
    if (!v)
        return null_fail("data_vocab_specials", "a vocabulary");
    if (v->count)
        return tensor_fail(
            "data_vocab_specials: found a vocabulary of %d words; expected an empty one", v->count);
    return data_vocab_add(v, "<pad>") == DATA_PAD && data_vocab_add(v, "<mask>") == DATA_MASK &&
           data_vocab_add(v, "<unk>") == DATA_UNK;
}

int32_t data_vocab_find(const Vocab *v, const char *word)
{
    if (!v || !word)
        return null_fail("data_vocab_find", "a vocabulary and a word"), -1;
    return v->count ? v->slots[vocab_slot(v, word)] : -1;
}

const char *data_vocab_word(const Vocab *v, int32_t id)
{
    if (!v)
        null_fail("data_vocab_word", "a vocabulary");
    return v && id >= 0 && id < v->count ? v->words[id] : "<unk>";
}

size_t data_vocab_text(const Vocab *v, const int32_t *ids, int64_t n, char *text, size_t size)
{
    size_t used = 0;
    if (!v || (!ids && n > 0) || (!text && size))
        return null_fail("data_vocab_text", "a vocabulary, ids and a text");
    if (size)
        *text = 0;
    for (int64_t i = 0; i < n; i++) {
        const size_t capacity = used < size ? size - used : 0;
        used += (size_t)snprintf(capacity ? text + used : NULL, capacity, "%s%s", i ? " " : "",
                                 data_vocab_word(v, ids[i]));
    }
    return used;
}

void data_vocab_free(Vocab *v)
{
    if (!v)
        return;
    arena_free(v->own);
    mem_free(v->own);
    *v = (Vocab){0};
}

/* ---- the nearest words ----------------------------------------------------------------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Element j of row i is the distance of the first i letters of a from the first j of b; a swap
 * needs the row before the last. */
int data_word_distance(const char *a, const char *b)
{
    if (!a || !b)
        return null_fail("data_word_distance", "two words"), -1;
    int rows[3][LONGEST_COMPARED + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    const int m = (int)strnlen(a, LONGEST_COMPARED), n = (int)strnlen(b, LONGEST_COMPARED);
    for (int j = 0; j <= n; j++)
        before[j] = last[j] = j;
    for (int i = 1; i <= m; i++) {
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        int *const spare = before;
        before = last, last = row, row = spare;
    }
    return last[n];
}

/* The order of nearness: smaller distances first, then longer common beginnings. */
static int word_farness(const char *a, const char *b)
{
    int common = 0;
    while (common < LONGEST_COMPARED && a[common] && a[common] == b[common])
        common++;
    return data_word_distance(a, b) * (LONGEST_COMPARED + 1) + (LONGEST_COMPARED - common);
}

int data_vocab_nearest(const Vocab *v, const char *word, int32_t nearest[DATA_NEAREST])
{
    int farness[DATA_NEAREST], found = 0;
    if (!v || !word || !nearest)
        return null_fail("data_vocab_nearest", "a vocabulary, a word and an array"), -1;
    for (int id = 0; id < v->count; id++) {
        if (v->words[id][0] == '<')
            continue;
        const int far = word_farness(word, v->words[id]);
        int rank = found; /* where the word belongs in the sorted list */
        while (rank > 0 && far < farness[rank - 1])
            rank--;
        if (rank == DATA_NEAREST)
            continue;
        found = least(found + 1, DATA_NEAREST);
        for (int k = found - 1; k > rank; k--)
            farness[k] = farness[k - 1], nearest[k] = nearest[k - 1];
        farness[rank] = far, nearest[rank] = id;
    }
    return found;
}

int32_t data_vocab_need(const Vocab *v, const char *word)
{
    if (!v || !word)
        return null_fail("data_vocab_need", "a vocabulary and a word"), -1;
    const int id = data_vocab_find(v, word);
    if (id >= 0)
        return id;
    int32_t nearest[DATA_NEAREST];
    char names[DATA_NEAREST * (LONGEST_COMPARED + 5)] = "";
    const int n = data_vocab_nearest(v, word, nearest);
    for (int k = 0, used = 0; k < n; k++)
        used += snprintf(names + used, sizeof names - (size_t)used, "%s\"%.*s\"", k ? ", " : "",
                         LONGEST_COMPARED, v->words[nearest[k]]);
    tensor_fail("data_vocab_need: unknown word \"%s\"; expected a known one%s%s", word,
                n ? ", nearest: " : "", names);
    return -1;
}
