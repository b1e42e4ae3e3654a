/* vocab.c: words <-> ids.
 *
 * A word's id is the number of words that were added before it. Words and their table are in one
 * arena; the smaller tables that growing leaves there are together smaller than the last one. */
#include "data/data.h"
#include "data/null.h"
#include "data/table.h"

#include <string.h>

enum { LONGEST_COMPARED = 63 };

struct VocabTable {
    Arena arena;
    TokenTable table;
};

/* Makes the table large enough for one word more. */
static bool vocab_grow(Vocab *v)
{
    if (v->count > INT32_MAX / 4)
        return tensor_fail("data_vocab_add: found %d words; expected at most as many", v->count);
    if (!v->own && !(v->own = mem_zeroed(sizeof *v->own)))
        return false;
    if (v->count == v->own->table.ids && !token_table_grow(&v->own->table, &v->own->arena))
        return false;
    v->words = v->own->table.word;
    return true;
}

int32_t data_vocab_add(Vocab *v, const char *word)
{
    if (!v || !word)
        return null_fail("data_vocab_add", "a vocabulary and a word"), -1;
    const int known = data_vocab_find(v, word);
    if (known >= 0)
        return known;
    const size_t bytes = strlen(word);
    char *copy = vocab_grow(v) ? arena_copy(&v->own->arena, word, bytes + 1) : NULL;
    return copy && token_table_add(&v->own->table, copy, bytes, v->count) ? v->count++ : -1;
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
    return v->count ? token_table_find(&v->own->table, word, strlen(word)) : -1;
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
    if (v->own)
        arena_free(&v->own->arena);
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
