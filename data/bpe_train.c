/* bpe_train.c: training of the byte-pair encoding.
 *
 *   repeat:  count all pairs of neighbours;  give the most frequent pair a new id;  replace the pair everywhere
 *
 * As merges stay within pieces (bpe.h), each different piece is stored once with its frequency.
 * Invariant: pieces are in the order of their first occurrence and pairs in the order in which they
 * are found, so that among equally frequent pairs the first in the text is merged. */
#include "data/bpe.h"
#include "data/null.h"
#include "data/table.h"

typedef struct {
    int64_t begin;  /* of its ids */
    int32_t length; /* in ids     */
    int64_t count;
} Piece;

typedef struct {
    Arena arena;
    TokenTable words;  /* the different pieces as bytes       */
    Piece *piece;      /* (pieces)                            */
    int32_t *ids;      /* of all pieces, one after another    */
    Merge *pair;       /* (pairs)                             */
    TokenMerges known; /* finds the number of a pair, `whole` */
    int32_t pieces, pairs;
} Training;

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Adds the different pieces of the text to t->words; returns how long they are together; -1: out
 * of memory. */
static int64_t add_pieces(Training *t, const unsigned char *bytes, int64_t count)
{
    int64_t all = 0;
    for (int64_t at = 0, length; at < count; at += length) {
        const char *piece = (const char *)bytes + at;
        length = bpe_piece(bytes + at, count - at);
        if (token_table_find(&t->words, piece, (size_t)length) >= 0)
            continue;
        if (t->pieces == t->words.ids && !token_table_grow(&t->words, &t->arena))
            return -1;
        token_table_add(&t->words, piece, (size_t)length, t->pieces++);
        all += length;
    }
    return all;
}

/* Collects the different pieces with their frequencies. The bytes of each are its first ids, and
 * there are no more different pairs than ids. */
static bool collect(Training *t, const unsigned char *bytes, int64_t count)
{
    int64_t all = add_pieces(t, bytes, count), ids = 0;
    if (all < 0)
        return false;
    t->piece = arena_alloc(&t->arena, (size_t)t->pieces * sizeof *t->piece);
    t->ids = arena_alloc(&t->arena, (size_t)all * sizeof *t->ids);
    t->pair = arena_alloc(&t->arena, (size_t)all * sizeof *t->pair);
    if (!t->piece || !t->ids || !t->pair || !token_merges_init(&t->known, &t->arena, (int32_t)all))
        return false;
    for (int32_t i = 0; i < t->pieces; i++) {
        t->piece[i] = (Piece){ids, t->words.bytes[i], 0};
        for (int32_t k = 0; k < t->words.bytes[i]; k++)
            t->ids[ids++] = (unsigned char)t->words.word[i][k];
    }
    for (int64_t at = 0, length; at < count; at += length) {
        length = bpe_piece(bytes + at, count - at);
        t->piece[token_table_find(&t->words, (const char *)bytes + at, (size_t)length)].count++;
    }
    return true;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void add_pair(Training *t, int32_t left, int32_t right, int64_t count)
{
    const TokenMerge *known = token_merges_find(&t->known, left, right);
    int32_t i = known ? known->whole : t->pairs++;
    if (!known) {
        token_merges_add(&t->known, (TokenMerge){left, right, i, 0});
        t->pair[i] = (Merge){left, right, 0};
    }
    t->pair[i].count += count;
}

/* A pair counts as often as it can be replaced: "aaa" contains one (a, a), not two. */
static void count_pairs(Training *t)
{
    token_merges_clear(&t->known);
    t->pairs = 0;
    for (int32_t i = 0; i < t->pieces; i++) {
        const int32_t *ids = t->ids + t->piece[i].begin, n = t->piece[i].length;
        for (int32_t k = 0; k + 1 < n; k++) {
            add_pair(t, ids[k], ids[k + 1], t->piece[i].count);
            if (k + 2 < n && ids[k] == ids[k + 1] && ids[k] == ids[k + 2])
                k++;
        }
    }
}

/* Learns one merge; *done becomes true when no pair occurs twice. */
static bool merge_once(Training *t, Bpe *b, bool *done)
{
    count_pairs(t);
    const Merge *best = NULL;
    for (int32_t i = 0; i < t->pairs; i++)
        if (t->pair[i].count > (best ? best->count : 1))
            best = &t->pair[i];
    *done = !best;
    if (!best)
        return true;
    const int32_t whole = DATA_BPE_BYTES + b->merges;
    const char *wrong = bpe_add(b, best->left, best->right, best->count);
    if (wrong)
        return tensor_fail("data_bpe_train: merge %d has %s; expected a valid one", b->merges,
                           wrong);
    for (int32_t i = 0; i < t->pieces; i++) {
        Piece *p = &t->piece[i];
        p->length = (int32_t)bpe_join(t->ids + p->begin, p->length, best->left, best->right, whole);
    }
    return true;
}

bool data_bpe_train(Bpe *b, const void *bytes, size_t count, int merges)
{
    Training t = {0};
    bool done = false;
    if (!b || (!bytes && count))
        return null_fail("data_bpe_train", "merges and bytes");
    *b = (Bpe){0};
    if (count > DATA_TEXT_MAX_BYTES)
        return tensor_fail("data_bpe_train: found %zu bytes; expected at most %d", count,
                           DATA_TEXT_MAX_BYTES);
    bool ok = bpe_init(b, merges, "data_bpe_train") && collect(&t, bytes, (int64_t)count);
    while (ok && !done && b->merges < merges)
        ok = merge_once(&t, b, &done);
    arena_free(&t.arena);
    if (!ok)
        data_bpe_free(b);
    return ok;
}
