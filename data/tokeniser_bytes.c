/* tokeniser_bytes.c: byte-pair encoding as the tokenizers library does it.
 * Sennrich, Haddow, Birch, "Neural machine translation of rare words with subword units" (2016);
 * Radford et al., "Language models are unsupervised multitask learners" (2019), section 2.2:
 * byte-level
 * A piece's characters are tokens, which are merged (tokeniser_merges.c). Byte-level: the
 * characters stand for bytes, so that with all 256 nothing is unknown, and the ids give the text
 * back byte by byte. Otherwise a character that the vocabulary lacks is the tokens <0x00> to <0xFF>
 * of its bytes (byte_fallback), the unknown token, or nothing. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

/* The 68 bytes that are not themselves, in this order: 0 to 32, 127 to 160, 173. */
int32_t byte_to_char(int byte)
{
    if ((byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173))
        return byte;
    return 256 + (byte <= 32 ? byte : byte <= 160 ? byte - 127 + 33 : 67);
}

int char_to_byte(int32_t c)
{
    if (c < 256)
        return c >= 0 && byte_to_char(c) == c ? c : -1;
    if (c > 256 + 67)
        return -1;
    return c <= 256 + 32 ? c - 256 : c <= 256 + 66 ? 127 + c - (256 + 33) : 173;
}

/* ---- single characters ----------------------------------------------------------------------- */

/* Tokens, how many bytes of the piece each has, and the unknown ones that are still to come. */
typedef struct {
    int32_t *ids, *bytes;
    int64_t n;
    int32_t unknown_bytes; /* 0: none */
} Symbols;

static void add(Symbols *o, int32_t id, int32_t bytes)
{
    o->ids[o->n] = id;
    o->bytes[o->n++] = bytes;
}

static void add_unknown(const Tokeniser *t, Symbols *o)
{
    if (o->unknown_bytes > 0)
        add(o, t->unknown, o->unknown_bytes);
    o->unknown_bytes = 0;
}

/* Does each byte have a token? Then they are added. */
static bool add_bytes(const Tokeniser *t, const char *text, int32_t count, Symbols *o)
{
    for (int32_t i = 0; i < count; i++)
        if (t->byte_id[(unsigned char)text[i]] < 0)
            return false;
    for (int32_t i = 0; i < count; i++)
        add(o, t->byte_id[(unsigned char)text[i]], 1);
    return true;
}

/* As in the library, unknown characters wait until a known one comes, and bytes do not count. */
static bool symbols(const Tokeniser *t, const Normal *p, Symbols *o)
{
    enum { CACHED = sizeof t->char_id / sizeof *t->char_id };
    for (size_t at = 0, n; at < p->n; at += n) {
        int32_t c;
        n = utf8_read((const unsigned char *)p->text + at, p->n - at, &c);
        int32_t id = c >= 0 && c < CACHED ? t->char_id[c] : model_find(t, p->text + at, n);
        if (id >= 0) {
            add_unknown(t, o);
            add(o, id, (int32_t)n);
        } else if (!(t->byte_fallback && add_bytes(t, p->text + at, (int32_t)n, o)) &&
                   t->unknown != -1) {
            if (t->unknown == UNKNOWN_ABSENT)
                return tensor_fail("data_tokens: '%.*s' is unknown, and the model's unk_token is "
                                   "not in its vocabulary; expected it there",
                                   (int)n, p->text + at);
            if (!t->fuse_unknown)
                add_unknown(t, o);
            o->unknown_bytes += (int32_t)n;
        }
    }
    add_unknown(t, o);
    return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The number of blanks at the beginning and at the end of a token. */
static int64_t blanks(const Tokeniser *t, int32_t id, bool at_end)
{
    static const char blank[] = "\xc4\xa0"; /* how byte 32 is written: U+0120 */
    const char *word = t->table.word[id];
    int64_t bytes = t->table.bytes[id], n = 0;
    while (2 * n + 2 <= bytes && memcmp(word + (at_end ? bytes - 2 * n - 2 : 2 * n), blank, 2) == 0)
        n++;
    return n;
}

static bool push_bytes(Section *s, const Normal *p, int32_t id, int64_t first, int64_t end)
{
    const Tokeniser *t = s->t;
    return section_push(s, id, p->from[first], p->to[end - 1], t->trim ? blanks(t, id, false) : 0,
                        t->trim ? blanks(t, id, true) : 0);
}

bool merged_piece(Section *s, const Normal *p)
{
    const Tokeniser *t = s->t;
    const int64_t n = (int64_t)p->n;
    int32_t whole = t->whole_words ? model_find(t, p->text, p->n) : -1;
    if (whole >= 0)
        return push_bytes(s, p, whole, 0, n);
    int32_t *ids = mem_alloc((size_t)(3 * n) * sizeof *ids), *end = ids + n;
    if (!ids)
        return false;
    Symbols o = {.ids = ids, .bytes = end + n};
    bool ok = symbols(t, p, &o);
    int64_t left = ok && o.n > 0 ? token_merge_all(&t->merges, ids, end, o.n) : 0, at = 0;
    ok = ok && left >= 0;
    for (int64_t i = 0, k = 0; ok && i < left; i++) {
        int64_t first = at;
        for (; k < end[i]; k++)
            at += o.bytes[k];
        ok = push_bytes(s, p, ids[i], first, at);
    }
    mem_free(ids);
    return ok;
}
