/* bpe.c: byte-pair encoding: tokens that are longer than bytes and mostly shorter than words.
 *                 Gage, "A new algorithm for data compression", 1994; Sennrich, Haddow, Birch, "Neural machine
 *                 translation of rare words with subword units", ACL 2016; Z "Tokenization" (lectures/README.md)
 *   ids 0 .. 255   the bytes
 *   id 256 + k     merge k: the concatenation of two earlier ids
 *
 * Encoding applies the merges in the order in which training (bpe_train.c) found them. Decoding an
 * encoding gives the same bytes, whatever they are. Merges stay within words: white space is never
 * merged. */
#include "data/bpe.h"
#include "data/null.h"
#include "data/table.h"

enum { BYTES = DATA_BPE_BYTES };

struct BpeTable {
    Arena arena;
    TokenMerges known;
};

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int64_t bpe_piece(const unsigned char *bytes, int64_t count)
{
    int64_t n = 0;
    while (n < count && n < BPE_PIECE_MAX && !is_space(bytes[n]))
        n++;
    return n ? n : 1;
}

/* ---- merges ---------------------------------------------------------------------------------- */

bool bpe_init(Bpe *b, int capacity, const char *who)
{
    *b = (Bpe){0};
    if (capacity < 0 || capacity > DATA_BPE_MERGES_MAX)
        return tensor_fail("%s: found %d merges; expected 0 .. %d", who, capacity,
                           DATA_BPE_MERGES_MAX);
    b->own = mem_zeroed(sizeof *b->own);
    if (!b->own)
        return false;
    b->merge = arena_alloc(&b->own->arena, (size_t)capacity * sizeof *b->merge);
    b->length = arena_alloc(&b->own->arena, (size_t)capacity * sizeof *b->length);
    b->capacity = capacity;
    if (b->merge && b->length && token_merges_init(&b->own->known, &b->own->arena, capacity))
        return true;
    data_bpe_free(b);
    return false;
}

void data_bpe_free(Bpe *b)
{
    if (!b)
        return;
    if (b->own)
        arena_free(&b->own->arena);
    mem_free(b->own);
    *b = (Bpe){0};
}

static int length_of(const Bpe *b, int32_t id)
{
    return id < BYTES ? 1 : b->length[id - BYTES];
}

const char *bpe_add(Bpe *b, int32_t left, int32_t right, int64_t count)
{
    int32_t known = BYTES + b->merges;
    if (b->merges == b->capacity)
        return "more merges than the capacity";
    if (left < 0 || left >= known || right < 0 || right >= known)
        return "an id that no earlier merge made";
    if ((left < BYTES && is_space((unsigned char)left)) ||
        (right < BYTES && is_space((unsigned char)right)))
        return "white space, which is never merged";
    if (token_merges_find(&b->own->known, left, right))
        return "a pair that an earlier merge joins";
    if (length_of(b, left) + length_of(b, right) > BPE_PIECE_MAX)
        return "a token of more than 256 bytes";
    if (count < 1)
        return "a count below 1";
    token_merges_add(&b->own->known, (TokenMerge){left, right, known, b->merges});
    b->length[b->merges] = (uint16_t)(length_of(b, left) + length_of(b, right));
    b->merge[b->merges++] = (Merge){left, right, count};
    return NULL;
}

bool data_bpe_from(Bpe *b, const Merge *merge, int merges)
{
    if (!b || (!merge && merges > 0))
        return null_fail("data_bpe_from", "merges");
    const char *wrong = NULL;
    if (!bpe_init(b, merges, "data_bpe_from"))
        return false;
    for (int k = 0; !wrong && k < merges; k++)
        if ((wrong = bpe_add(b, merge[k].left, merge[k].right, merge[k].count)))
            tensor_fail(
                "data_bpe_from: merge %d has %s; expected one that training could have made", k,
                wrong);
    if (wrong)
        data_bpe_free(b);
    return !wrong;
}

/* ---- encode ---------------------------------------------------------------------------------- */

int64_t bpe_join(int32_t *ids, int64_t count, int32_t left, int32_t right, int32_t whole)
{
    int64_t to = 0;
    for (int64_t i = 0; i < count; i++)
        if (i + 1 < count && ids[i] == left && ids[i + 1] == right) {
            ids[to++] = whole;
            i++;
        } else {
            ids[to++] = ids[i];
        }
    return to;
}

/* The earliest merge of any two neighbours; NULL: there is none. */
static const TokenMerge *earliest(const Bpe *b, const int32_t *ids, int64_t count)
{
    const TokenMerge *first = NULL;
    for (int64_t i = 0; b->merges > 0 && i + 1 < count; i++) {
        const TokenMerge *m = token_merges_find(&b->own->known, ids[i], ids[i + 1]);
        if (m && (!first || m->rank < first->rank))
            first = m;
    }
    return first;
}

static int64_t encode_piece(const Bpe *b, const unsigned char *bytes, int64_t count, int32_t *ids)
{
    for (int64_t i = 0; i < count; i++)
        ids[i] = bytes[i];
    for (const TokenMerge *m; (m = earliest(b, ids, count));)
        count = bpe_join(ids, count, m->left, m->right, m->whole);
    return count;
}

int64_t data_bpe_encode(const Bpe *b, const void *bytes, size_t count, int32_t *ids,
                        int64_t capacity)
{
    const unsigned char *p = bytes;
    int64_t all = (int64_t)count, used = 0;
    if (!b || (!bytes && count) || (!ids && capacity > 0))
        return null_fail("data_bpe_encode", "merges, bytes and ids"), -1;
    for (int64_t at = 0, length; at < all; at += length) {
        int32_t piece[BPE_PIECE_MAX];
        length = bpe_piece(p + at, all - at);
        int64_t n = encode_piece(b, p + at, length, piece);
        for (int64_t i = 0; i < n; i++, used++)
            if (used < capacity)
                ids[used] = piece[i];
    }
    return used;
}

/* ---- decode ---------------------------------------------------------------------------------- */

int data_bpe_token(const Bpe *b, int32_t id, char token[DATA_BPE_TOKEN_BYTES])
{
    int32_t open[BPE_PIECE_MAX + 1]; /* a stack of ids to be written, each of at least one byte */
    int height = 0, length = 0;
    if (!b || !token)
        return null_fail("data_bpe_token", "merges and a token"), -1;
    if (id >= 0 && id < BYTES + b->merges)
        open[height++] = id;
    while (height > 0) {
        int32_t top = open[--height];
        if (top < BYTES) {
            token[length++] = (char)top;
            continue;
        }
        open[height++] = b->merge[top - BYTES].right;
        open[height++] = b->merge[top - BYTES].left;
    }
    token[length] = 0;
    return length;
}

size_t data_bpe_decode(const Bpe *b, const int32_t *ids, int64_t count, char *bytes, size_t size)
{
    char token[DATA_BPE_TOKEN_BYTES];
    size_t used = 0;
    if (!b || (!ids && count > 0) || (!bytes && size))
        return null_fail("data_bpe_decode", "merges, ids and bytes");
    for (int64_t i = 0; i < count; i++) {
        int length = data_bpe_token(b, ids[i], token);
        for (int k = 0; k < length; k++, used++)
            if (used < size)
                bytes[used] = token[k];
    }
    if (size)
        bytes[used < size ? used : size - 1] = 0;
    return used;
}
