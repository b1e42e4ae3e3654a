/* tokeniser_steps.c: the steps of the tokenizers library before the unigram model of a
 * tokenizer.json: Precompiled, Strip, Replace; WhitespaceSplit, Metaspace.
 *                   Hugging Face, "tokenizers" (2019), and its crate spm_precompiled
 * They are not quite those of sentencepiece, of which the map is: a grapheme cluster of fewer than
 * 6 bytes becomes as a whole what the map has for its shortest beginning, so that a letter may lose
 * its accent, and each section between added tokens may get a blank in front. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

static const char blank[] = "\xe2\x96\x81";
enum { BLANK = 0x2581, CLUSTER_BYTES = 6 };

/* Characters, each with its place in the text. */
typedef struct {
    TextChar *c;
    int64_t n, capacity;
} Chars;

static bool push(Chars *o, TextChar c)
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
    o->c[o->n++] = c;
    return true;
}

/* ---- the map --------------------------------------------------------------------------------- */

/* The library writes a change beside each character: 0 where it replaces one, 1 where it is
 * inserted, -k where it takes the place of k more. Here it stands in `begin` until place(). */
static bool become(Chars *o, const char *to, int64_t replaced)
{
    int64_t first = o->n;
    for (size_t left = strlen(to), n; left > 0; left -= n, to += n) {
        int32_t code;
        n = unicode_read((const unsigned char *)to, left, &code);
        if (!push(o, (TextChar){.code = code}))
            return false;
    }
    int64_t more = o->n - first - replaced;
    for (int64_t i = 0; i < more; i++)
        o->c[o->n - 1 - i].begin = 1;
    if (more < 0 && o->n > 0)
        o->c[o->n - 1].begin += more;
    return true;
}

/* The places by those changes. As in the library, characters that vanish before all others move the
 * places of these. */
static void place(Chars *o, const Section *s)
{
    int64_t at = 0;
    for (int64_t i = 0; i < o->n; i++) {
        int64_t change = o->c[i].begin, from = change > 0 ? at - 1 : at;
        const TextChar first = {.begin = s->chars[0].begin, .end = s->chars[0].begin},
                       *c = from < 0 ? &first : &s->chars[from];
        o->c[i].begin = c->begin;
        o->c[i].end = c->end;
        at += 1 - change;
    }
}

/* Does the map have a beginning of these characters, which have at most 5 bytes? */
static const char *mapped(const Section *s, int64_t first, int64_t count)
{
    unsigned char text[CLUSTER_BYTES + UTF8_MAX_BYTES];
    const char *to = NULL;
    size_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        n += utf8_write(s->chars[first + i].code, text + n);
        if (n >= CLUSTER_BYTES)
            return NULL;
    }
    return charsmap_find(&s->t->pieces.map, (const char *)text, n, false, &to) > 0 ? to : NULL;
}

static bool map_chars(const Section *s, Chars *o)
{
    bool ok = true;
    for (int64_t at = 0, n; ok && at < s->count; at += n) {
        n = cluster_chars(s->chars + at, s->count - at);
        const char *to = mapped(s, at, n);
        if (to) {
            ok = become(o, to, n);
            continue;
        }
        for (int64_t i = at; ok && i < at + n; i++) {
            to = mapped(s, i, 1);
            ok = to ? become(o, to, 1) : push(o, (TextChar){.code = s->chars[i].code});
        }
    }
    place(o, s);
    return ok;
}

/* ---- blanks ---------------------------------------------------------------------------------- */

static bool is_space(TextChar c)
{
    return unicode_class(c.code) & UNICODE_SPACE;
}

/* White space at the ends is removed; of a run of blanks one character stays, in the place of the
 * last of them. */
static void strip(const Pieces *p, Chars *o)
{
    int64_t first = 0, n = 0;
    while (p->strip_right && o->n > 0 && is_space(o->c[o->n - 1]))
        o->n--;
    while (p->strip_left && first < o->n && is_space(o->c[first]))
        first++;
    for (int64_t i = first, run = 0; i < o->n; i++) {
        run = o->c[i].code == ' ' ? run + 1 : 0;
        n -= p->run && run > 1;
        o->c[n] = o->c[i];
        if (p->run && run > 1)
            o->c[n].code = p->run;
        n++;
    }
    o->n = n;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool put(Normal *o, TextChar c)
{
    unsigned char bytes[UTF8_MAX_BYTES];
    return normal_put(o, (const char *)bytes, utf8_write(c.code, bytes), c.begin, c.end);
}

/* Characters without white space, or all; `begin` is where they begin in the text. Each U+2581
 * begins a part of its own, whose pieces are found alone (split). */
static bool part(Section *s, const TextChar *c, int64_t n, int64_t begin)
{
    const Pieces *p = &s->t->pieces;
    Normal o = {0};
    bool front = p->in_front == IN_FRONT_ALWAYS || (p->in_front == IN_FRONT_FIRST && begin == 0),
         ok = true;
    if (front && n > 0 && c[0].code != ' ' && c[0].code != BLANK)
        ok = normal_put(&o, blank, sizeof blank - 1, c[0].begin, c[0].end);
    for (int64_t i = 0; ok && i < n; i++) {
        bool is_blank = c[i].code == ' ' || c[i].code == BLANK;
        if (is_blank && p->split && o.n > 0) {
            ok = unigram_pieces(s, &o);
            o.n = 0;
        }
        ok = ok && put(&o, (TextChar){is_blank ? BLANK : c[i].code, c[i].begin, c[i].end});
    }
    ok = ok && (o.n == 0 || unigram_pieces(s, &o));
    normal_free(&o);
    return ok;
}

bool steps_section(Section *s)
{
    const Pieces *p = &s->t->pieces;
    Chars o = {0};
    bool ok = true;
    for (int64_t i = 0; ok && p->map.units == 0 && i < s->count; i++)
        ok = push(&o, s->chars[i]);
    if (ok && p->map.units > 0)
        ok = map_chars(s, &o);
    if (ok)
        strip(p, &o);
    if (ok && !p->words)
        ok = part(s, o.c, o.n, s->chars[0].begin);
    for (int64_t at = 0, n; ok && p->words && at < o.n; at += n + 1) {
        for (n = 0; at + n < o.n && !is_space(o.c[at + n]);)
            n++;
        ok = n == 0 || part(s, o.c + at, n, o.c[at].begin);
    }
    mem_free(o.c);
    return ok;
}
