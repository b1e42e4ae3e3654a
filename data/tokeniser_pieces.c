/* tokeniser_pieces.c: SentencePiece's tokenisation: normalised text, and its best pieces.
 *                   Kudo, "Subword regularization" (2018), section 3.2: unigram; Sennrich, Haddow,
 *                   Birch (2016): BPE
 *   unigram  the pieces x_1 ... x_n of the text with the largest sum of scores, by Viterbi's algorithm
 *   BPE      neighbours become one piece, the largest score first, the leftmost of equals
 * A blank is written U+2581. What no piece covers is the unknown piece, one for a run of them, or
 * with byte fallback the pieces <0x00> to <0xFF> of its bytes. Sums are float, as in the
 * sentencepiece library, or of a tokenizer.json double, as in the tokenizers library, so that equal
 * sums are equal here. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

static const char blank[] = "\xe2\x96\x81";
enum { BLANK = sizeof blank - 1 };

/* ---- normalisation --------------------------------------------------------------------------- */

static bool grow(int32_t **numbers, size_t n, size_t larger)
{
    int32_t *grown = mem_grow(*numbers, n * sizeof *grown, larger * sizeof *grown);
    if (grown)
        *numbers = grown;
    return grown != NULL;
}

bool normal_put(Normal *o, const char *bytes, size_t count, int64_t from, int64_t to)
{
    if (o->n + count > o->capacity) {
        size_t larger = 2 * (o->n + count) + 64;
        char *text = mem_grow(o->text, o->n, larger);
        if (text)
            o->text = text;
        if (!text || !grow(&o->from, o->n, larger) || !grow(&o->to, o->n, larger))
            return false;
        o->capacity = larger;
    }
    memcpy(o->text + o->n, bytes, count);
    for (size_t i = 0; i < count; i++, o->n++) {
        o->from[o->n] = (int32_t)from;
        o->to[o->n] = (int32_t)to;
    }
    return true;
}

void normal_free(Normal *o)
{
    mem_free(o->text);
    mem_free(o->from);
    mem_free(o->to);
}

/* A byte of SentencePiece's normalised text; it ends where the next one begins. */
static bool put(Normal *o, const char *bytes, size_t count, size_t from)
{
    if (o->n > 0)
        o->to[o->n - 1] = (int32_t)from;
    return normal_put(o, bytes, count, (int64_t)from, (int64_t)from);
}

/* The longest piece of the user's own (user_defined_symbols) that begins here; 0: none. */
static size_t own_piece(const Tokeniser *t, const char *text, size_t left)
{
    const Pieces *p = &t->pieces;
    size_t most = (size_t)p->own_longest < left ? (size_t)p->own_longest : left;
    for (size_t n = p->own_first[(unsigned char)*text] ? most : 0; n > 0; n--) {
        int32_t id = token_table_find(&t->table, text, n);
        if (id >= 0 && p->type[id] == PIECE_OWN)
            return n;
    }
    return 0;
}

static size_t char_bytes(const char *text, size_t left)
{
    int32_t c;
    return utf8_read((const unsigned char *)text, left, &c);
}

/* What the text at this place becomes; the result is how many of its bytes that takes. */
static size_t normal_at(const Tokeniser *t, const char *text, size_t left, const char **becomes,
                        size_t *count)
{
    const char *to;
    size_t n = own_piece(t, text, left);
    if (n == 0 && (n = charsmap_find(&t->pieces.map, text, left, true, &to)) > 0) {
        *becomes = to;
        *count = strlen(to);
        return n;
    }
    n = n > 0 ? n : char_bytes(text, left);
    *becomes = text;
    *count = n;
    return n;
}

/* Blanks at the ends are removed, and runs of them become one (squeeze); one comes in front. */
static bool normalised(const Tokeniser *t, const char *text, size_t count, bool front, Normal *o)
{
    const Pieces *p = &t->pieces;
    const char *to;
    size_t at = 0, n = 0, bytes;
    for (; p->squeeze && at < count; at += n) {
        n = normal_at(t, text + at, count - at, &to, &bytes);
        if (bytes != 1 || *to != ' ')
            break;
    }
    if (at == count)
        return true;
    bool after_blank = p->squeeze, ok = !front || put(o, blank, BLANK, at);
    for (; ok && at < count; at += n) {
        n = normal_at(t, text + at, count - at, &to, &bytes);
        for (; after_blank && bytes > 0 && *to == ' '; to++)
            bytes--;
        for (size_t i = 0; ok && i < bytes; i++)
            ok = to[i] == ' ' ? put(o, blank, BLANK, at) : put(o, to + i, 1, at);
        if (bytes > 0)
            after_blank = p->squeeze && to[bytes - 1] == ' ';
    }
    size_t end = count;
    while (p->squeeze && o->n >= BLANK && memcmp(o->text + o->n - BLANK, blank, BLANK) == 0) {
        o->n -= BLANK;
        end = (size_t)o->from[o->n];
    }
    if (ok && o->n > 0)
        o->to[o->n - 1] = (int32_t)end;
    return ok;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct {
    double sum;
    int32_t begin, id; /* of the last piece of the best way to here; begin -1: none yet */
} Best;

static double plus(const Pieces *p, double a, double b)
{
    return p->library ? a + b : (double)((float)a + (float)b);
}

static void offer(Best *b, double sum, size_t begin, int32_t id)
{
    if (b->begin < 0 || sum > b->sum)
        *b = (Best){sum, (int32_t)begin, id};
}

/* best[i]: the best way to the first i bytes, i at the beginning of a character. */
static void viterbi(const Tokeniser *t, const Normal *o, Best *best)
{
    const Pieces *p = &t->pieces;
    for (size_t i = 0; i <= o->n; i++)
        best[i] = (Best){0, -1, -1};
    for (size_t at = 0, one; at < o->n; at += one) {
        bool single = false;
        double here = best[at].sum;
        one = char_bytes(o->text + at, o->n - at);
        for (size_t n = one; n <= (size_t)p->longest && at + n <= o->n;) {
            int32_t id = token_table_find(&t->table, o->text + at, n);
            bool own = id >= 0 && p->type[id] == PIECE_OWN;
            if (own || piece_is_found(p, id)) {
                double score = own ? (double)((float)n * (float)p->most) - 0.1 : p->score[id];
                offer(&best[at + n], plus(p, score, here), at, id);
                single = single || n == one;
            }
            n += at + n < o->n ? char_bytes(o->text + at + n, o->n - at - n) : 1;
        }
        if (!single)
            offer(&best[at + one], plus(p, plus(p, p->least, -10), here), at, t->unknown);
    }
}

/* The characters, or pieces of the user's own, before anything is merged; begin[i] is where symbol
 * i begins. Unknown ones have the id -2, with which nothing merges. */
static int64_t symbols(const Tokeniser *t, const Normal *o, int32_t *ids, int32_t *begin)
{
    int64_t count = 0;
    for (size_t at = 0, n; at < o->n; at += n, count++) {
        n = own_piece(t, o->text + at, o->n - at);
        n = n > 0 ? n : char_bytes(o->text + at, o->n - at);
        int32_t id = token_table_find(&t->table, o->text + at, n);
        bool known =
            id >= 0 && (t->pieces.type[id] == PIECE_NORMAL || t->pieces.type[id] == PIECE_OWN);
        begin[count] = (int32_t)at;
        ids[count] = known ? id : -2;
    }
    begin[count] = (int32_t)o->n;
    return count;
}

/* The id of a piece, or of a run of unknown characters: Marian's vocabulary may have it as a piece
 * of the other language. */
static int32_t id_of(const Section *s, int32_t id, const char *piece, size_t bytes)
{
    if (!s->names)
        return id;
    int32_t found = token_table_find(&s->names->table, piece, bytes);
    return found < 0 ? s->names->unknown : found;
}

/* The id of one of t's pieces. */
static int32_t id_of_piece(const Section *s, int32_t id)
{
    const TokenTable *table = &s->t->table;
    return id_of(s, id, table->word[id], (size_t)table->bytes[id]);
}

/* One piece, the bytes first .. last-1 of the normalised text. */
static bool push_piece(Section *s, const Normal *o, int32_t id, int32_t first, int32_t last)
{
    const Tokeniser *t = s->t;
    Tokens *out = s->out;
    int64_t begin = o->from[first], end = o->to[last - 1];
    bool unknown = id < 0 || id == t->unknown, library = t->pieces.library;
    if (unknown && library) { /* a run may be a piece that has a smaller score */
        int32_t whole = model_find(t, o->text + first, (size_t)(last - first));
        unknown = whole < 0;
        id = unknown ? id : whole;
    }
    if (unknown && t->pieces.byte_fallback) {
        bool ok = true; /* the last byte, or each, has the character's place in the text */
        for (int32_t i = first; ok && i < last; i++)
            ok = tokens_push(out, id_of_piece(s, t->byte_id[(unsigned char)o->text[i]]), s->type,
                             begin, i + 1 == last || library ? end : begin);
        return ok;
    }
    if (!unknown)
        return tokens_push(out, id_of_piece(s, id), s->type, begin, end);
    bool goes_on = !library && first > 0 && s->unknown_end == first;
    s->unknown_begin = goes_on ? s->unknown_begin : first;
    s->unknown_end = last;
    id = id_of(s, t->unknown, o->text + s->unknown_begin, (size_t)(last - s->unknown_begin));
    if (!goes_on)
        return tokens_push(out, id, s->type, begin, end);
    out->token[out->count - 1].id = id;
    out->token[out->count - 1].end = end;
    return true;
}

/* The way back from the end is written into the pieces that stand on it, so that it can be followed
 * forward: best[i].begin becomes where the piece that begins at i ends. */
bool unigram_pieces(Section *s, const Normal *o)
{
    const int32_t n = (int32_t)o->n, unknown = s->t->unknown;
    Best *best = mem_alloc((o->n + 1) * sizeof *best);
    bool ok = best != NULL;
    if (ok)
        viterbi(s->t, o, best);
    int32_t next = -1, next_id = -1;
    for (int32_t at = ok ? n : -1; at >= 0;) {
        Best here = best[at];
        best[at] = (Best){0, next, next_id};
        next = at;
        next_id = here.id;
        at = here.begin;
    }
    for (int32_t at = 0, end; ok && at < n; at = end) {
        end = best[at].begin;
        while (s->t->pieces.library && best[at].id == unknown && end < n && best[end].id == unknown)
            end = best[end].begin;
        ok = push_piece(s, o, best[at].id, at, end);
    }
    mem_free(best);
    return ok;
}

static bool pair_merges(Section *s, const Normal *o)
{
    int32_t *ids = mem_alloc((3 * o->n + 3) * sizeof *ids), *end = ids + o->n + 1,
            *begin = end + o->n + 1;
    int64_t n = ids ? symbols(s->t, o, ids, begin) : 0;
    int64_t left = ids ? token_merge_all(&s->t->merges, ids, end, n) : -1;
    bool ok = left >= 0;
    for (int64_t i = 0, first = 0; ok && i < left; first = end[i++])
        ok = push_piece(s, o, ids[i], begin[first], begin[end[i]]);
    mem_free(ids);
    return ok;
}

static bool has_front(const Pieces *p, const TextChar *c, int64_t count)
{
    enum { BLANK_CODE = 0x2581 };
    bool later = count == 0 || c[0].begin > 0 || c[0].code == ' ' || c[0].code == BLANK_CODE;
    return p->dummy_prefix && !(p->later_without_front && later);
}

/* The characters as UTF-8, normalised, cut into pieces; then their places are those in the text. */
bool pieces_section(Section *s, const TextChar *c, int64_t count)
{
    Normal o = {0};
    size_t n = 0;
    int first = s->out->count;
    int64_t *where = mem_alloc((size_t)(UTF8_MAX_BYTES * count + 1) * sizeof *where);
    char *text = mem_alloc((size_t)(UTF8_MAX_BYTES * count + 1));
    bool ok = where && text;
    for (int64_t i = 0; ok && i < count; i++) {
        size_t bytes = utf8_write(c[i].code, (unsigned char *)text + n);
        for (size_t k = 0; k < bytes; k++)
            where[n++] = c[i].begin;
    }
    if (ok)
        where[n] = count > 0 ? c[count - 1].end : 0;
    ok = ok && normalised(s->t, text, n, has_front(&s->t->pieces, c, count), &o);
    if (ok && o.n > 0)
        ok = s->t->pieces.bpe ? pair_merges(s, &o) : unigram_pieces(s, &o);
    for (int i = first; ok && i < s->out->count; i++) {
        Token *k = &s->out->token[i];
        k->begin = where[k->begin];
        k->end = where[k->end];
    }
    normal_free(&o);
    mem_free(where);
    mem_free(text);
    return ok;
}
