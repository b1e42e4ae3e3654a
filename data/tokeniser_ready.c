/* tokeniser_ready.c: what is prepared once a file is read: the merges of a SentencePiece model, the
 * tokens of bytes and of single characters, the form in which added tokens are found. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <stdlib.h>

typedef struct {
    double score;
    int32_t id;
} Scored;

static int larger_score(const void *a, const void *b)
{
    double x = ((const Scored *)a)->score, y = ((const Scored *)b)->score;
    return (x < y) - (x > y);
}

/* A merge for each way to split a piece into two pieces: of this rank or, in order, the next. */
static void merges_of_piece(Tokeniser *t, int32_t id, int32_t rank, bool in_order)
{
    const char *word = t->table.word[id];
    for (int32_t cut = 1, all = t->table.bytes[id]; cut < all; cut++) {
        int32_t left = token_table_find(&t->table, word, (size_t)cut);
        int32_t right = token_table_find(&t->table, word + cut, (size_t)(all - cut));
        if (left >= 0 && right >= 0)
            token_merges_add(&t->merges,
                             (TokenMerge){left, right, id, in_order ? t->merges.count : rank});
    }
}

bool merges_of_pieces(Tokeniser *t, const char *path, bool in_order)
{
    const Pieces *p = &t->pieces;
    int64_t splits = 0;
    int32_t n = 0;
    for (int32_t id = 0; id < t->table.ids; id++)
        splits += t->table.bytes[id];
    if (splits > INT32_MAX / 4)
        return TOKENISER_FAIL(path, "pieces of %lld bytes; expected fewer", (long long)splits);
    Scored *list = mem_alloc(((size_t)t->table.ids + 1) * sizeof *list);
    bool ok = list && token_merges_init(&t->merges, &t->arena, (int32_t)splits);
    for (int32_t id = 0; ok && id < t->table.ids; id++)
        if (in_order || p->type[id] == PIECE_NORMAL)
            list[n++] = (Scored){p->score[id], id};
    if (ok && !in_order)
        qsort(list, (size_t)n, sizeof *list, larger_score);
    for (int32_t i = 0, rank = 0; ok && i < n; i++) {
        rank = i > 0 && list[i].score == list[i - 1].score ? rank : i;
        merges_of_piece(t, list[i].id, rank, in_order);
    }
    mem_free(list);
    return ok;
}

/* SentencePiece's own way: a text is not resegmented, so that a piece must be used. */
static bool scored_merges(Tokeniser *t, const char *path)
{
    for (int32_t id = 0; id < t->table.ids; id++)
        if (t->pieces.type[id] == PIECE_UNUSED)
            return TOKENISER_FAIL(path, "the piece '%s' of a BPE model is unused; expected none",
                                  t->table.word[id]);
    return merges_of_pieces(t, path, false);
}

static void find_bytes(Tokeniser *t)
{
    for (int b = 0; b < 256; b++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)b);
        t->byte_id[b] = model_find(t, name, 6);
    }
}

static bool byte_pieces(Tokeniser *t, const char *path)
{
    find_bytes(t);
    for (unsigned b = 0; b < 256; b++)
        if (t->byte_id[b] < 0 || t->pieces.type[t->byte_id[b]] != PIECE_BYTE)
            return TOKENISER_FAIL(path,
                                  "byte_fallback without the byte piece <0x%02X>; expected all 256",
                                  b);
    return true;
}

bool piece_is_found(const Pieces *p, int32_t id)
{
    return id >= 0 && (p->type[id] == PIECE_NORMAL || (p->library && p->type[id] != 0));
}

bool pieces_ready(Tokeniser *t, const char *path)
{
    Pieces *p = &t->pieces;
    t->unknown = -1;
    for (int32_t id = 0; id < t->table.ids; id++) {
        bool normal = piece_is_found(p, id);
        t->unknown = p->type[id] == PIECE_UNKNOWN && t->unknown < 0 ? id : t->unknown;
        if ((normal || p->type[id] == PIECE_OWN) && t->table.bytes[id] > p->longest)
            p->longest = t->table.bytes[id];
        if (p->type[id] == PIECE_OWN) {
            p->own_first[(unsigned char)t->table.word[id][0]] = true;
            p->own_longest =
                t->table.bytes[id] > p->own_longest ? t->table.bytes[id] : p->own_longest;
        }
        if (normal && (!p->scored || p->score[id] < p->least))
            p->least = p->score[id];
        if (normal && (!p->scored || p->score[id] > p->most))
            p->most = p->score[id];
        p->scored = p->scored || normal;
    }
    if (t->unknown < 0)
        return TOKENISER_FAIL(path, "%s", "no unknown piece; expected one");
    return (!p->bpe || scored_merges(t, path)) && (!p->byte_fallback || byte_pieces(t, path));
}

int32_t model_find(const Tokeniser *t, const char *word, size_t bytes)
{
    int32_t id = token_table_find(&t->table, word, bytes);
    return id >= 0 && t->only_added && t->only_added[id] ? -1 : id;
}

static int32_t find_char(const Tokeniser *t, int32_t c)
{
    unsigned char text[UTF8_MAX_BYTES];
    return model_find(t, (char *)text, utf8_write(c, text));
}

static void merged_ready(Tokeniser *t)
{
    enum { CACHED = sizeof t->char_id / sizeof *t->char_id };
    for (int32_t c = 0; c < CACHED; c++)
        t->char_id[c] = find_char(t, c);
    find_bytes(t);
}

/* What is prepared once all is read. */
bool tokeniser_ready(Tokeniser *t, const char *path)
{
    if (t->kind == TOKENISER_BPE)
        merged_ready(t);
    return added_ready(t) && (t->kind != TOKENISER_UNIGRAM || pieces_ready(t, path));
}
