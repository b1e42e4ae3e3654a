/* tokeniser_encode.c: from text to ids: added tokens found, sections tokenised, special tokens
 * around, cut and padded. */
#include "data/tokeniser.h"
#include "tensor/memory.h"

#include <string.h>

bool tokens_push(Tokens *out, int32_t id, int32_t type, int64_t begin, int64_t end)
{
    if (out->count == out->capacity) {
        int capacity = out->capacity > 0 ? 2 * out->capacity : 64;
        Token *larger = capacity > out->capacity
                            ? mem_grow(out->token, (size_t)out->count * sizeof *larger,
                                       (size_t)capacity * sizeof *larger)
                            : NULL;
        if (!larger)
            return false;
        out->token = larger;
        out->capacity = capacity;
    }
    out->token[out->count++] = (Token){.id = id, .type = type, .begin = begin, .end = end};
    return true;
}

void data_tokens_free(Tokens *tokens)
{
    if (!tokens)
        return;
    mem_free(tokens->token);
    *tokens = (Tokens){0};
}

/* ---- sections -------------------------------------------------------------------------------- */

/* A text as characters. */
static void read_chars(Section *s, const char *text, int64_t begin, int64_t end)
{
    s->count = 0;
    while (begin < end) {
        TextChar *c = &s->chars[s->count++];
        c->begin = begin;
        begin += (int64_t)unicode_read((const unsigned char *)text + begin, (size_t)(end - begin),
                                       &c->code);
        c->end = begin;
    }
}

static bool section(const Tokeniser *t, const char *text, int64_t begin, int64_t end, int32_t type,
                    Tokens *out)
{
    size_t n = (size_t)(end - begin);
    if (n == 0)
        return true;
    Section s = {.t = t, .out = out, .type = type};
    /* A character becomes at most four and two blanks; one blank may come in front. */
    TextChar *chars = mem_alloc((7 * n + 1) * sizeof *chars);
    s.bytes = mem_alloc(16 * n + 64);
    s.work = mem_alloc((12 * n + 64) * sizeof *s.work);
    bool ok = chars && s.bytes && s.work;
    if (ok) {
        s.chars = chars + 1;
        read_chars(&s, text, begin, end);
        ok = t->kind == TOKENISER_WORDPIECE ? wordpiece_section(&s)
             : t->kind == TOKENISER_NUMBERS ? numbers_section(&s)
             : t->language[0]               ? marian_section(&s)
             : t->pieces.library            ? steps_section(&s)
             : t->kind == TOKENISER_PIECES  ? pieces_section(&s)
                                            : bytes_section(&s);
    }
    mem_free(chars);
    mem_free(s.bytes);
    mem_free(s.work);
    return ok;
}

/* The longest added token at this position, or NULL. */
static const AddedToken *added_at(const Tokeniser *t, const char *text, int64_t left)
{
    const AddedToken *best = NULL;
    for (int i = 0; t->added_first[(unsigned char)*text] && i < t->added_count; i++) {
        const AddedToken *a = &t->added[i];
        if ((int64_t)a->bytes <= left && (!best || a->bytes > best->bytes) &&
            memcmp(text, a->text, a->bytes) == 0)
            best = a;
    }
    return best;
}

/* Where the white space in front of `at`, but not before `first`, begins; where that after it
 * ends. */
static int64_t space_before(const char *text, int64_t first, int64_t at)
{
    for (int64_t i = first, start = -1, n; i < at; i += n) {
        int32_t c;
        n = (int64_t)unicode_read((const unsigned char *)text + i, (size_t)(at - i), &c);
        bool space = unicode_class(c) & UNICODE_SPACE;
        start = !space ? -1 : start < 0 ? i : start;
        if (i + n >= at && start >= 0)
            return start;
    }
    return at;
}

static int64_t space_after(const char *text, int64_t at, int64_t end)
{
    while (at < end) {
        int32_t c;
        int64_t n = (int64_t)unicode_read((const unsigned char *)text + at, (size_t)(end - at), &c);
        if (!(unicode_class(c) & UNICODE_SPACE))
            break;
        at += n;
    }
    return at;
}

/* The offset of a token that takes the white space from `begin` on: after that space, except for a
 * single blank at the beginning of the text where blanks are put in front (tokeniser_bytes.c,
 * trim). */
static int64_t trimmed(const Tokeniser *t, const char *text, int64_t begin, int64_t found,
                       const Tokens *out)
{
    int32_t c;
    if (begin == found || !t->trim_prefix_space || (begin > 0 && out->count > 0))
        return found;
    size_t one = unicode_read((const unsigned char *)text + begin, (size_t)(found - begin), &c);
    return (int64_t)one == found - begin ? begin : found;
}

static bool encode(const Tokeniser *t, const char *text, int64_t bytes, int32_t type, Tokens *out)
{
    int64_t from = 0;
    for (int64_t i = 0; i < bytes;) {
        const AddedToken *a = added_at(t, text + i, bytes - i);
        if (!a) {
            i++;
            continue;
        }
        int64_t found = i, begin = a->takes_left ? space_before(text, from, i) : i;
        i += (int64_t)a->bytes;
        if (a->takes_right)
            i = space_after(text, i, bytes);
        if (!section(t, text, from, begin, type, out))
            return false;
        int64_t shown = t->trim ? trimmed(t, text, begin, found, out) : begin;
        if (!tokens_push(out, a->id, type, shown, t->trim ? found + (int64_t)a->bytes : i))
            return false;
        from = i;
    }
    return section(t, text, from, bytes, type, out);
}

/* ---- around them ----------------------------------------------------------------------------- */

/* Of two texts the longer one is cut first, as the tokenizers library does ("longest_first"). */
static void lengths(int64_t longest, bool is_pair, int *a, int *b)
{
    int64_t small = *a < *b ? *a : *b, large = *a < *b ? *b : *a;
    if (*a + (int64_t)*b <= longest)
        return;
    if (!is_pair) {
        *a = (int)longest;
        return;
    }
    large = small > longest ? small : small > longest - small ? small : longest - small;
    if (small + large > longest) {
        small = longest / 2;
        large = small + longest % 2;
    }
    bool swapped = *a > *b;
    *a = (int)(swapped ? large : small);
    *b = (int)(swapped ? small : large);
}

static bool assemble(const TokenTemplate *template, const Tokens *first, int a,
                     const Tokens *second, int b, Tokens *out)
{
    for (int i = 0; i < template->count; i++) {
        int32_t part = template->part[i], type = template->type[i];
        const Tokens *from = part == TEMPLATE_FIRST ? first : second;
        if (part >= 0 && !tokens_push(out, part, type, 0, 0))
            return false;
        if (part >= 0)
            out->token[out->count - 1].around = true;
        for (int k = 0; part < 0 && k < (part == TEMPLATE_FIRST ? a : b); k++) {
            const Token *t = &from->token[k];
            if (!tokens_push(out, t->id, type, t->begin, t->end))
                return false;
            out->token[out->count - 1].text = part == TEMPLATE_SECOND;
        }
    }
    return true;
}

bool data_tokens(const Tokeniser *t, TokenInput in, Tokens *out)
{
    static const TokenTemplate plain = {1, {TEMPLATE_FIRST}, {0}},
                               plain_pair = {2, {TEMPLATE_FIRST, TEMPLATE_SECOND}, {0, 1}};
    if (!t || !in.text || !out)
        return tensor_fail(
            "data_tokens: %s is NULL; expected a tokeniser, a text and Tokens to fill",
            !t    ? "the tokeniser"
            : out ? "the text"
                  : "out");
    out->count = 0;
    int64_t bytes = in.bytes > 0 ? in.bytes : (int64_t)strlen(in.text);
    int64_t pair_bytes = !in.pair            ? 0
                         : in.pair_bytes > 0 ? in.pair_bytes
                                             : (int64_t)strlen(in.pair);
    if (bytes > DATA_TEXT_MAX_BYTES || pair_bytes > DATA_TEXT_MAX_BYTES)
        return tensor_fail("data_tokens: a text of %lld bytes; expected at most %d",
                           (long long)(bytes > pair_bytes ? bytes : pair_bytes),
                           DATA_TEXT_MAX_BYTES);
    const TokenTemplate *template = in.plain  ? (in.pair ? &plain_pair : &plain)
                                    : in.pair ? &t->pair
                                              : &t->single;
    int around = template->count - (in.pair ? 2 : 1);
    if (in.longest < 0 || (in.longest > 0 && in.longest < around))
        return tensor_fail(
            "data_tokens: at most %lld tokens, of which %d stand around the text; expected more",
            (long long)in.longest, around);
    Tokens first = {0}, second = {0};
    bool ok = encode(t, in.text, bytes, 0, &first) &&
              (!in.pair || encode(t, in.pair, pair_bytes, 1, &second));
    int a = first.count, b = second.count;
    if (in.longest > 0)
        lengths(in.longest - around, in.pair != NULL, &a, &b);
    ok = ok && assemble(template, &first, a, &second, b, out);
    out->cut = first.count - a + second.count - b;
    data_tokens_free(&first);
    data_tokens_free(&second);
    return ok;
}

/* ---- batches --------------------------------------------------------------------------------- */

void data_token_batch_free(TokenBatch *b)
{
    if (!b)
        return;
    mem_free(b->ids);
    mem_free(b->types);
    mem_free(b->lengths);
    *b = (TokenBatch){0};
}

/* Allocates B x T ids and types and B lengths; the earlier content is released. */
static bool batch_allocate(TokenBatch *b, int64_t B, int64_t T)
{
    data_token_batch_free(b);
    b->ids = mem_alloc((size_t)(B * T) * sizeof *b->ids);
    b->types = mem_alloc((size_t)(B * T) * sizeof *b->types);
    b->lengths = mem_alloc((size_t)B * sizeof *b->lengths);
    b->B = (int)B;
    b->T = (int)T;
    return b->ids && b->types && b->lengths;
}

bool data_token_batch(TokenBatch *b, const Tokens *rows, int count, int32_t pad)
{
    int longest = 1;
    if (!b || count < 1 || !rows)
        return tensor_fail(
            "data_token_batch: %s, %d texts; expected a TokenBatch, and 1 text or more",
            !b     ? "b is NULL"
            : rows ? "a batch"
                   : "rows is NULL",
            count);
    for (int i = 0; i < count; i++)
        longest = rows[i].count > longest ? rows[i].count : longest;
    if (!batch_allocate(b, count, longest)) {
        data_token_batch_free(b);
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        b->lengths[i] = rows[i].count;
        for (int64_t k = 0; k < longest; k++) {
            bool there = k < rows[i].count;
            b->ids[i * longest + k] = there ? rows[i].token[k].id : pad;
            b->types[i * longest + k] = there ? rows[i].token[k].type : 0;
        }
    }
    return true;
}
