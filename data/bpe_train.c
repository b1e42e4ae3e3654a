/* bpe_train.c: training of the byte-pair encoding.
 *
 *   repeat:  count all pairs of neighbours;  give the most frequent pair a new id;  replace the pair everywhere
 *
 * As merges stay within pieces (bpe.h), each different piece is stored once with its frequency.
 * Invariant: pieces are in the order of their first occurrence and pairs in the order in which they
 * are found, so that among equally frequent pairs the first in the text is merged. */
#include "data/bpe.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

typedef struct {
    int64_t begin;  /* of its ids; while pieces are collected, of its bytes */
    int32_t length; /* in ids                                */
    int64_t count;
} Piece;

typedef struct {
    int32_t left, right;
    int64_t count;
} Pair;

/* A list of items, and a hash table of their indices (-1: a free slot) with twice as many slots as
 * the capacity, which is a power of two. */
typedef struct {
    void *items;
    size_t item_bytes;
    int64_t count, capacity;
    int64_t *slots;
} List;

typedef struct {
    const unsigned char *bytes;
    List pieces, pairs;
    int32_t *ids;
} Training;

/* ---- lists with a hash table ----------------------------------------------------------------- */

/* Empties the list and its hash table. */
static void clear(List *l)
{
    l->count = 0;
    if (l->slots)
        memset(l->slots, 0xFF, 2 * (size_t)l->capacity * sizeof *l->slots); /* all -1 */
}

static void list_free(List *l)
{
    mem_free(l->items);
    mem_free(l->slots);
}

/* Doubles the capacity. The caller enters the items into the new hash table. */
static bool grow(List *l)
{
    enum { FIRST_CAPACITY = 256 };
    int64_t capacity = l->capacity ? 2 * l->capacity : FIRST_CAPACITY, count = l->count;
    int64_t *slots = mem_alloc(2 * (size_t)capacity * sizeof *slots);
    void *items =
        slots ? mem_grow(l->items, (size_t)count * l->item_bytes, (size_t)capacity * l->item_bytes)
              : NULL;
    if (!items) {
        mem_free(slots);
        return false;
    }
    mem_free(l->slots);
    l->items = items;
    l->slots = slots;
    l->capacity = capacity;
    clear(l);
    l->count = count;
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const unsigned char *bytes, int64_t count)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (int64_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash ^ hash >> 32;
}

static int64_t *piece_slot(const Training *t, int64_t begin, int64_t length)
{
    const List *l = &t->pieces;
    const Piece *pieces = l->items;
    int64_t slots = 2 * l->capacity;
    int64_t slot = (int64_t)(hash_bytes(t->bytes + begin, length) & (uint64_t)(slots - 1));
    for (;; slot = (slot + 1) & (slots - 1)) {
        int64_t i = l->slots[slot];
        if (i < 0 || (pieces[i].length == length &&
                      memcmp(t->bytes + pieces[i].begin, t->bytes + begin, (size_t)length) == 0))
            return &l->slots[slot];
    }
}

static bool add_piece(Training *t, int64_t begin, int64_t length)
{
    List *l = &t->pieces;
    if (l->count == l->capacity) {
        if (!grow(l))
            return false;
        const Piece *pieces = l->items;
        for (int64_t i = 0; i < l->count; i++)
            *piece_slot(t, pieces[i].begin, pieces[i].length) = i;
    }
    Piece *pieces = l->items;
    int64_t *slot = piece_slot(t, begin, length);
    if (*slot < 0) {
        *slot = l->count++;
        pieces[*slot] = (Piece){begin, (int32_t)length, 0};
    }
    pieces[*slot].count++;
    return true;
}

/* Collects the different pieces; then the bytes of each become its first ids. */
static bool collect(Training *t, int64_t count)
{
    int64_t ids = 0;
    for (int64_t at = 0, length; at < count; at += length) {
        length = bpe_piece(t->bytes + at, count - at);
        if (!add_piece(t, at, length))
            return false;
    }
    Piece *pieces = t->pieces.items;
    for (int64_t i = 0; i < t->pieces.count; i++)
        ids += pieces[i].length;
    t->ids = mem_alloc((size_t)ids * sizeof *t->ids);
    if (!t->ids)
        return false;
    while (t->pairs.capacity < ids) /* there are no more different pairs than ids */
        if (!grow(&t->pairs))
            return false;
    ids = 0;
    for (int64_t i = 0; i < t->pieces.count; i++) {
        Piece *p = &pieces[i];
        for (int32_t k = 0; k < p->length; k++)
            t->ids[ids + k] = t->bytes[p->begin + k];
        p->begin = ids;
        ids += p->length;
    }
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int64_t *pair_slot(const List *l, int32_t left, int32_t right)
{
    const Pair *pairs = l->items;
    int64_t slots = 2 * l->capacity;
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    int64_t slot = (int64_t)(key * 0x9E3779B97F4A7C15u >> 32 & (uint64_t)(slots - 1));
    for (;; slot = (slot + 1) & (slots - 1)) {
        int64_t i = l->slots[slot];
        if (i < 0 || (pairs[i].left == left && pairs[i].right == right))
            return &l->slots[slot];
    }
}

static void add_pair(List *l, int32_t left, int32_t right, int64_t count)
{
    Pair *pairs = l->items;
    int64_t *slot = pair_slot(l, left, right);
    if (*slot < 0) {
        *slot = l->count++;
        pairs[*slot] = (Pair){left, right, 0};
    }
    pairs[*slot].count += count;
}

/* A pair counts as often as it can be replaced: "aaa" contains one (a, a), not two. */
static void count_pairs(Training *t)
{
    const Piece *pieces = t->pieces.items;
    clear(&t->pairs);
    for (int64_t i = 0; i < t->pieces.count; i++) {
        const int32_t *ids = t->ids + pieces[i].begin;
        for (int32_t k = 0; k + 1 < pieces[i].length; k++) {
            add_pair(&t->pairs, ids[k], ids[k + 1], pieces[i].count);
            if (k + 2 < pieces[i].length && ids[k] == ids[k + 1] && ids[k] == ids[k + 2])
                k++;
        }
    }
}

/* Learns one merge; *done becomes true when no pair occurs twice. */
static bool merge_once(Training *t, Bpe *b, bool *done)
{
    count_pairs(t);
    const Pair *pairs = t->pairs.items, *best = NULL;
    for (int64_t i = 0; i < t->pairs.count; i++)
        if (pairs[i].count > (best ? best->count : 1))
            best = &pairs[i];
    *done = !best;
    if (!best)
        return true;
    int32_t whole = DATA_BPE_BYTES + b->merges;
    const char *wrong = bpe_add(b, best->left, best->right, best->count);
    if (wrong)
        return tensor_fail("data_bpe_train: merge %d has %s; expected a valid one", b->merges,
                           wrong);
    Piece *pieces = t->pieces.items;
    for (int64_t i = 0; i < t->pieces.count; i++)
        pieces[i].length = (int32_t)bpe_join(t->ids + pieces[i].begin, pieces[i].length, best->left,
                                             best->right, whole);
    return true;
}

bool data_bpe_train(Bpe *b, const void *bytes, size_t count, int merges)
{
    Training t = {.bytes = bytes,
                  .pieces.item_bytes = sizeof(Piece),
                  .pairs.item_bytes = sizeof(Pair)};
    bool done = false;
    if (!b || (!bytes && count))
        return null_fail("data_bpe_train", "merges and bytes");
    *b = (Bpe){0};
    if (count > DATA_TEXT_MAX_BYTES)
        return tensor_fail("data_bpe_train: found %zu bytes; expected at most %d", count,
                           DATA_TEXT_MAX_BYTES);
    bool ok = bpe_init(b, merges, "data_bpe_train") && collect(&t, (int64_t)count);
    while (ok && !done && b->merges < merges)
        ok = merge_once(&t, b, &done);
    list_free(&t.pieces);
    list_free(&t.pairs);
    mem_free(t.ids);
    if (!ok)
        data_bpe_free(b);
    return ok;
}
