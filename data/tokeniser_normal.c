/* tokeniser_normal.c: the steps of the tokenizers library that normalise a text.
 *                   Hugging Face, "tokenizers" (2019), and its crate spm_precompiled; Unicode 16.0,
 *                   annex 15: NFC, NFD
 * Each character keeps the place in the text of that which it comes from. As in the library, a
 * change stands beside each new character: 0 where it replaces one, 1 where it is inserted, -k
 * where it takes the place of k more; an inserted one has the place of what stood before it. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

bool chars_push(Chars *o, TextChar c)
{
    if (o->n == o->capacity) {
        int64_t larger = 2 * o->n + 64;
        TextChar *grown =
            mem_grow(o->c, (size_t)o->n * sizeof *grown, (size_t)larger * sizeof *grown);
        if (!grown)
            return false;
        o->c = grown;
        o->capacity = larger;
    }
    if (c.bits == 0)
        c.bits = unicode_class(c.code);
    o->c[o->n++] = c;
    return true;
}

bool steps_left(int64_t steps)
{
    return steps >= 0 ||
           tensor_fail("data_tokens: the tokeniser's expressions and replacements take more than "
                       "1,024 steps for each byte of the text; expected fewer");
}

/* The characters of a text, all in one place. */
static bool push_text(Chars *o, const char *text, int64_t begin, int64_t end, int64_t *steps)
{
    enum { COST = 16 };
    *steps -= COST * (int64_t)strlen(text);
    bool ok = steps_left(*steps);
    for (size_t left = strlen(text), n; ok && left > 0; left -= n, text += n) {
        TextChar c = {.begin = begin, .end = end};
        n = unicode_read((const unsigned char *)text, left, &c.code);
        ok = chars_push(o, c);
    }
    return ok;
}

/* What a step has written takes the place of what it has read. */
static bool become(Chars *c, Chars *o, bool ok)
{
    mem_free(ok ? c->c : o->c);
    if (ok)
        *c = *o;
    return ok;
}

/* The places of o by the changes that stand in `begin`; origin: where the section begins. */
static void place(Chars *o, const Chars *c, int64_t origin)
{
    int64_t at = 0;
    for (int64_t i = 0; i < o->n; i++) {
        int64_t change = o->c[i].begin, from = change > 0 ? at - 1 : at;
        o->c[i].begin = from < 0 ? origin : c->c[from].begin;
        o->c[i].end = from < 0 ? origin : c->c[from].end;
        at += 1 - change;
    }
}

/* ---- NFC and NFD ----------------------------------------------------------------------------- */

/* A mark that has just been written moves before those whose class is larger. */
static void put_in_order(Chars *o)
{
    const TextChar mark = o->c[o->n - 1];
    int order = unicode_order(mark.code);
    int64_t i = o->n - 1;
    for (; order > 0 && i > 0 && unicode_order(o->c[i - 1].code) > order; i--)
        o->c[i] = o->c[i - 1];
    o->c[i] = mark;
}

/* Each character joins the last letter before it, unless one of the same class, or a letter, stands
 * between them. */
static void compose(Chars *o)
{
    int64_t n = 0, letter = -1;
    for (int64_t i = 0, last = 0; i < o->n; i++) {
        TextChar c = o->c[i];
        int order = unicode_order(c.code);
        bool near = letter >= 0 && (letter == n - 1 || last < order);
        int32_t both = near ? unicode_compose(o->c[letter].code, c.code) : -1;
        if (both >= 0) {
            o->c[letter].code = both;
            o->c[letter].bits = unicode_class(both);
            o->c[letter].begin += c.begin - 1;
            continue;
        }
        letter = order == 0 ? n : letter;
        last = order;
        o->c[n++] = c;
    }
    o->n = n;
}

static bool normal_form(Chars *c, int64_t origin, bool composed)
{
    enum { SAME = 0xC0, SAME_COMPOSED = 0x300 }; /* from here on something may change */
    Chars o = {0};
    bool ok = true;
    int64_t i = 0;
    while (i < c->n && c->c[i].code < (composed ? SAME_COMPOSED : SAME))
        i++;
    if (i == c->n)
        return true;
    for (i = 0; ok && i < c->n; i++) {
        int32_t parts[UNICODE_PARTS];
        int count = unicode_decompose(c->c[i].code, parts);
        for (int k = 0; ok && k < count; k++) {
            ok = chars_push(&o, (TextChar){.code = parts[k], .begin = k > 0});
            if (ok)
                put_in_order(&o);
        }
    }
    if (ok && composed)
        compose(&o);
    place(&o, c, origin);
    return become(c, &o, ok);
}

/* ---- characters one by one ------------------------------------------------------------------- */

/* Those without these bits stay. */
static void keep_without(Chars *c, unsigned bits)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        if (!(c->c[i].bits & bits))
            c->c[n++] = c->c[i];
    c->n = n;
}

static bool lower(Chars *c)
{
    Chars o = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < c->n; i++) {
        TextChar k = c->c[i];
        k.code = k.code == 0x130 ? 'i' : unicode_lower(k.code);
        k.bits = k.code == c->c[i].code ? k.bits : 0;
        ok = chars_push(&o, k);
        k = (TextChar){0x307, 0, k.begin,
                       k.end}; /* U+0130 is the only one whose lower case has two characters */
        if (ok && c->c[i].code == 0x130)
            ok = chars_push(&o, k);
    }
    return become(c, &o, ok);
}

static void strip(Chars *c, bool left, bool right)
{
    int64_t first = 0;
    while (right && c->n > 0 && c->c[c->n - 1].bits & UNICODE_SPACE)
        c->n--;
    while (left && first < c->n && c->c[first].bits & UNICODE_SPACE)
        first++;
    c->n -= first;
    if (first > 0)
        memmove(c->c, c->c + first, (size_t)c->n * sizeof *c->c);
}

/* Each match becomes the text, which has the place of the last character that it replaces. */
static bool replace(Chars *c, const Pattern *p, const char *text, int64_t *steps)
{
    Chars o = {0};
    bool ok = true;
    for (int64_t at = 0, end; ok && at < c->n; at = end) {
        end = pattern_match(p, c->c, c->n, at, steps);
        bool found = end > at;
        end = found ? end : at + 1;
        ok = steps_left(*steps) &&
             (found ? push_text(&o, text, c->c[end - 1].begin, c->c[end - 1].end, steps)
                    : chars_push(&o, c->c[at]));
    }
    return become(c, &o, ok);
}

static bool prepend(Chars *c, const char *text, int64_t *steps)
{
    Chars o = {0};
    bool ok = c->n == 0 || push_text(&o, text, c->c[0].begin, c->c[0].end, steps);
    for (int64_t i = 0; ok && i < c->n; i++)
        ok = chars_push(&o, c->c[i]);
    return become(c, &o, ok);
}

/* ---- BERT ------------------------------------------------------------------------------------ */

/* Chinese characters stand alone; with `clean` white space is a blank. */
static bool spaced(Chars *c, bool clean, bool chinese)
{
    Chars o = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < c->n; i++) {
        TextChar k = c->c[i], blank = k;
        bool apart = chinese && unicode_is_chinese(k.code);
        blank.code = ' ';
        blank.bits = 0;
        if (clean && k.bits & UNICODE_SPACE)
            k = blank;
        ok = (!apart || chars_push(&o, blank)) && chars_push(&o, k) &&
             (!apart || chars_push(&o, blank));
    }
    return become(c, &o, ok);
}

static bool bert(const Step *s, Chars *c, int64_t origin)
{
    if (s->clean)
        keep_without(c, UNICODE_CONTROL);
    if ((s->clean || s->chinese) && !spaced(c, s->clean, s->chinese))
        return false;
    if (s->strip && !normal_form(c, origin, false))
        return false;
    if (s->strip)
        keep_without(c, UNICODE_MARK);
    return !s->lower || lower(c);
}

/* ---- SentencePiece's map --------------------------------------------------------------------- */

/* What the map has for a beginning of these characters, which have at most 5 bytes. */
static const char *mapped(const CharsMap *map, const TextChar *c, int64_t count)
{
    enum { CLUSTER_BYTES = 6 };
    unsigned char text[CLUSTER_BYTES + UTF8_MAX_BYTES];
    const char *to = NULL;
    size_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        n += utf8_write(c[i].code, text + n);
        if (n >= CLUSTER_BYTES)
            return NULL;
    }
    return charsmap_find(map, (const char *)text, n, false, &to) > 0 ? to : NULL;
}

/* Writes a string in place of so many characters, as changes. */
static bool map_to(Chars *o, const char *to, int64_t replaced, int64_t *steps)
{
    int64_t first = o->n;
    if (!push_text(o, to, 0, 0, steps))
        return false;
    int64_t more = o->n - first - replaced;
    for (int64_t i = 0; i < more; i++)
        o->c[o->n - 1 - i].begin = 1;
    if (more < 0 && o->n > 0)
        o->c[o->n - 1].begin += more;
    return true;
}

/* Not quite as sentencepiece uses its map: a grapheme cluster of fewer than 6 bytes becomes as a
 * whole what the map has for its shortest beginning, so that a letter may lose its accent. */
static bool map_chars(const CharsMap *map, Chars *c, int64_t origin, int64_t *steps)
{
    Chars o = {0};
    bool ok = true;
    for (int64_t at = 0, n; ok && at < c->n; at += n) {
        n = cluster_chars(c->c + at, c->n - at);
        const char *to = mapped(map, c->c + at, n);
        if (to) {
            ok = map_to(&o, to, n, steps);
            continue;
        }
        for (int64_t i = at; ok && i < at + n; i++) {
            to = mapped(map, c->c + i, 1);
            ok = to ? map_to(&o, to, 1, steps) : chars_push(&o, (TextChar){.code = c->c[i].code});
        }
    }
    place(&o, c, origin);
    return become(c, &o, ok);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool step(const Tokeniser *t, const Step *s, Chars *c, int64_t origin, int64_t *steps)
{
    switch (s->kind) {
    case STEP_COMPOSE:
    case STEP_DECOMPOSE:
        return normal_form(c, origin, s->kind == STEP_COMPOSE);
    case STEP_LOWER:
        return lower(c);
    case STEP_ACCENTS:
        keep_without(c, UNICODE_ACCENT);
        return true;
    case STEP_STRIP:
        strip(c, s->left, s->right);
        return true;
    case STEP_REPLACE:
        return replace(c, &s->pattern, s->text, steps);
    case STEP_PREPEND:
        return prepend(c, s->text, steps);
    case STEP_BERT:
        return bert(s, c, origin);
    case STEP_MAP:
        return map_chars(&t->pieces.map, c, origin, steps);
    default:
        return true;
    }
}

bool normalise(const Tokeniser *t, Chars *c, int64_t *steps)
{
    const int64_t origin = c->n > 0 ? c->c[0].begin : 0;
    for (int i = 0; i < t->normals; i++)
        if (c->n > 0 && !step(t, &t->step[i], c, origin, steps))
            return false;
    return true;
}
