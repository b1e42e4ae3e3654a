/* tokeniser_encode.c: from text to ids: added tokens found, sections tokenised, special tokens
 * around, cut and padded. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
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

/* Which character of the text begins at this byte. */
static int64_t index_of(const Section *s, int64_t begin)
{
    int64_t low = 0, high = s->length;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->text[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t start_of(const Section *s, int64_t i)
{
    return i < s->length ? s->text[i].begin : s->length > 0 ? s->text[s->length - 1].end : 0;
}

/* As the tokenizers library trims offsets: a single blank of the first token stays where the
 * tokeniser puts blanks in front of texts. */
bool section_push(Section *s, int32_t id, int64_t begin, int64_t end, int64_t left, int64_t right)
{
    bool first = s->out->count == 0 || begin == 0;
    if (left == 1 && s->t->trim_prefix_space && first)
        left = 0;
    if (left > 0) {
        int64_t moved = start_of(s, index_of(s, begin) + left);
        begin = moved < end ? moved : end;
    }
    int64_t last = right > 0 ? index_of(s, end) : 0;
    if (right > 0 && last >= right) {
        int64_t moved = start_of(s, last - right);
        end = moved > begin ? moved : begin;
    }
    return tokens_push(s->out, id, s->type, begin, end);
}

/* The longest token at the first of these characters, of those that are found in the text as it
 * stands, or in the normalised text; or NULL. */
static const AddedToken *added_at(const Tokeniser *t, const TextChar *c, int64_t n, bool normalised)
{
    const AddedToken *best = NULL;
    for (int i = 0; t->added_first[c->code & 255] && i < t->added_count; i++) {
        const AddedToken *a = &t->added[i];
        int64_t k = 0, count = a->find.n;
        if (a->normalized != normalised || count > n || count == 0 ||
            (best && count <= best->find.n))
            continue;
        while (k < count && c[k].code == a->find.c[k].code)
            k++;
        best = k == count ? a : best;
    }
    return best;
}

static bool is_word(const TextChar *c)
{
    return unicode_is_word(c->code, c->bits) || c->code == 0x200C || c->code == 0x200D;
}

static bool push_added(Section *s, const AddedToken *a, const TextChar *c, int64_t n)
{
    int64_t left = 0, right = 0;
    while (s->t->trim && left < n && c[left].bits & UNICODE_SPACE)
        left++;
    while (s->t->trim && right < n && c[n - 1 - right].bits & UNICODE_SPACE)
        right++;
    return section_push(s, a->id, c[0].begin, c[n - 1].end, left, right);
}

static bool between(Section *s, const TextChar *c, int64_t n, bool normalised);

/* The added tokens of these characters, and what stands between them. */
static bool find_added(Section *s, const TextChar *c, int64_t n, bool normalised)
{
    int64_t from = 0;
    if (n == 0)
        return true;
    for (int64_t i = 0; i < n;) {
        const AddedToken *a = added_at(s->t, c + i, n - i, normalised);
        int64_t begin = i, end = i + (a ? a->find.n : 1);
        i = end;
        if (!a ||
            (a->single && ((begin > 0 && is_word(c + begin - 1)) || (end < n && is_word(c + end)))))
            continue;
        while (a->takes_left && begin > from && c[begin - 1].bits & UNICODE_SPACE)
            begin--;
        if (a->takes_left && begin < from) /* what the token before has taken */
            begin = from;
        while (a->takes_right && end < n && c[end].bits & UNICODE_SPACE)
            end++;
        if (!between(s, c + from, begin - from, normalised) ||
            (end > begin && !push_added(s, a, c + begin, end - begin)))
            return false;
        from = end;
    }
    return between(s, c + from, n - from, normalised);
}

static bool between(Section *s, const TextChar *c, int64_t n, bool normalised)
{
    const Tokeniser *t = s->t;
    if (n <= 0)
        return true;
    if (t->kind == TOKENISER_NUMBERS)
        return numbers_section(s, c, n);
    if (t->kind == TOKENISER_PIECES)
        return t->language[0] ? marian_section(s, c, n) : pieces_section(s, c, n);
    if (normalised)
        return split_section(s, c, n);
    Chars o = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = chars_push(&o, c[i]);
    ok = ok && normalise(t, &o, &s->steps) && find_added(s, o.c, o.n, true);
    mem_free(o.c);
    return ok;
}

static bool encode(const Tokeniser *t, const char *text, int64_t bytes, int32_t type, Tokens *out)
{
    enum { STEPS = 1024, STEPS_AT_LEAST = 1 << 16 };
    Chars all = {0};
    bool ok = true;
    for (int64_t at = 0; ok && at < bytes;) {
        TextChar c = {.begin = at};
        at +=
            (int64_t)unicode_read((const unsigned char *)text + at, (size_t)(bytes - at), &c.code);
        c.end = at;
        ok = chars_push(&all, c);
    }
    Section s = {.t = t,
                 .out = out,
                 .type = type,
                 .text = all.c,
                 .length = all.n,
                 .steps = STEPS * bytes + STEPS_AT_LEAST};
    ok = ok && find_added(&s, all.c, all.n, false);
    mem_free(all.c);
    return ok;
}

static bool set_shown(Tokeniser *t, AddedToken *a)
{
    unsigned char *text = arena_alloc(&t->arena, (size_t)(UTF8_MAX_BYTES * a->find.n + 1));
    size_t n = 0;
    for (int64_t i = 0; text && i < a->find.n; i++)
        n += utf8_write(a->find.c[i].code, text + n);
    if (text)
        text[n] = 0;
    a->shown = (const char *)text;
    return text != NULL;
}

bool added_ready(Tokeniser *t)
{
    enum { STEPS = 1 << 20 };
    for (int i = 0; i < t->added_count; i++) {
        AddedToken *a = &t->added[i];
        int64_t steps = STEPS;
        if (a->normalized && (!normalise(t, &a->find, &steps) || !set_shown(t, a)))
            return false;
        if (a->find.n > 0)
            t->added_first[a->find.c[0].code & 255] = true;
    }
    return true;
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
    const TokenTemplate *template = in.plain  ? (in.pair ? &template_plain_pair : &template_plain)
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
