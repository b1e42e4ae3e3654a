/* table.c: see table.h. */
#include "data/table.h"

#include <string.h>

static int32_t power_of_two(int64_t least)
{
    int32_t n = 16;
    while (n < least)
        n *= 2;
    return n;
}

bool token_table_init(TokenTable *t, Arena *arena, int32_t ids)
{
    *t = (TokenTable){.ids = ids, .slots = power_of_two(2 * (int64_t)ids)};
    t->word = arena_alloc(arena, ((size_t)ids + 1) * sizeof *t->word);
    t->bytes = arena_alloc(arena, ((size_t)ids + 1) * sizeof *t->bytes);
    t->slot = arena_alloc(arena, (size_t)t->slots * sizeof *t->slot);
    if (!t->word || !t->bytes || !t->slot)
        return false;
    memset(t->word, 0, ((size_t)ids + 1) * sizeof *t->word);
    memset(t->slot, 0xFF, (size_t)t->slots * sizeof *t->slot);
    return true;
}

bool token_table_grow(TokenTable *t, Arena *arena)
{
    enum { FIRST = 64 };
    TokenTable larger;
    if (!token_table_init(&larger, arena, t->ids ? 2 * t->ids : FIRST))
        return false;
    for (int32_t id = 0; id < t->ids; id++)
        if (t->word[id])
            token_table_add(&larger, t->word[id], (size_t)t->bytes[id], id);
    *t = larger;
    return true;
}

/* FNV-1a */
static uint32_t hash_of(const char *word, size_t bytes)
{
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (unsigned char)word[i]) * 16777619U;
    return h;
}

/* Where the word is in the table, or the empty slot where it belongs. */
static int32_t *slot_of(const TokenTable *t, const char *word, size_t bytes)
{
    uint32_t at = hash_of(word, bytes) & (uint32_t)(t->slots - 1);
    for (;; at = (at + 1) & (uint32_t)(t->slots - 1)) {
        int32_t id = t->slot[at];
        if (id < 0 || ((size_t)t->bytes[id] == bytes && memcmp(t->word[id], word, bytes) == 0))
            return &t->slot[at];
    }
}

bool token_table_add(TokenTable *t, const char *word, size_t bytes, int32_t id)
{
    int32_t *slot = slot_of(t, word, bytes);
    if (*slot >= 0 || id < 0 || id >= t->ids || t->word[id])
        return false;
    t->word[id] = word;
    t->bytes[id] = (int32_t)bytes;
    *slot = id;
    return true;
}

int32_t token_table_find(const TokenTable *t, const char *word, size_t bytes)
{
    return t->slots ? *slot_of(t, word, bytes) : -1;
}

bool token_merges_init(TokenMerges *m, Arena *arena, int32_t count)
{
    *m = (TokenMerges){.slots = power_of_two(2 * (int64_t)count)};
    m->slot = arena_alloc(arena, (size_t)m->slots * sizeof *m->slot);
    if (m->slot)
        token_merges_clear(m);
    return m->slot != NULL;
}

void token_merges_clear(TokenMerges *m)
{
    m->count = 0;
    for (int32_t i = 0; i < m->slots; i++)
        m->slot[i].left = -1;
}

static TokenMerge *merge_slot(const TokenMerges *m, int32_t left, int32_t right)
{
    uint32_t at = ((uint32_t)left * 2654435761U ^ (uint32_t)right * 40503U) * 2246822519U;
    for (at = at >> 7 & (uint32_t)(m->slots - 1);; at = (at + 1) & (uint32_t)(m->slots - 1))
        if (m->slot[at].left < 0 || (m->slot[at].left == left && m->slot[at].right == right))
            return &m->slot[at];
}

void token_merges_add(TokenMerges *m, TokenMerge merge)
{
    TokenMerge *slot = merge_slot(m, merge.left, merge.right);
    m->count += slot->left < 0;
    *slot = merge;
}

const TokenMerge *token_merges_find(const TokenMerges *m, int32_t left, int32_t right)
{
    const TokenMerge *slot = m->slots ? merge_slot(m, left, right) : NULL;
    return slot && slot->left >= 0 ? slot : NULL;
}
