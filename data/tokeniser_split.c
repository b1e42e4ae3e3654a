/* tokeniser_split.c: the steps of the tokenizers library that cut normalised text into pieces, and
 * the tokens of each piece. A piece is cut again by each step, which sees nothing but the piece. */
#include "data/tokeniser.h"
#include "tensor/io/utf8.h"
#include "tensor/memory.h"

#include <string.h>

/* Pieces end where the next begins; what was removed is a piece that is not kept. */
typedef struct {
    int64_t end;
    bool kept;
} Piece;
typedef struct {
    Chars text;
    Piece *piece;
    int64_t n, capacity;
} Pieced;

static bool push(Pieced *o, Piece p)
{
    if (o->n == o->capacity) {
        int64_t larger = 2 * o->n + 64;
        Piece *grown =
            mem_grow(o->piece, (size_t)o->n * sizeof *grown, (size_t)larger * sizeof *grown);
        if (!grown)
            return false;
        o->piece = grown;
        o->capacity = larger;
    }
    o->piece[o->n++] = p;
    return true;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* A run that matches, or the run between two matches, joins the one before it, or stands alone. A
 * match joins the run before it (PREVIOUS) or after it (NEXT), but never another match. */
static bool add_run(Pieced *o, const Step *s, int64_t first, Piece run, bool match, bool *before)
{
    bool some = o->n > first, joins = false, previous = *before;
    *before = match;
    switch (s->behavior) {
    case SPLIT_REMOVED:
        run.kept = !match;
        break;
    case SPLIT_ISOLATED:
        break;
    case SPLIT_PREVIOUS:
        joins = match && !previous;
        break;
    case SPLIT_NEXT:
        joins = !match && previous;
        break;
    case SPLIT_CONTIGUOUS:
        joins = match == previous;
        break;
    }
    if (!some || !joins)
        return push(o, run);
    o->piece[o->n - 1].end = run.end;
    return true;
}

/* The piece from..to-1 of the characters. */
static bool cut(Section *s, const Step *step, const Chars *c, int64_t from, int64_t to, Pieced *o)
{
    const int64_t first = o->n;
    int64_t run = from;
    bool before = false;
    for (int64_t at = from, end; at < to; at = end) {
        end = pattern_match(&step->pattern, c->c + from, to - from, at - from, &s->steps) + from;
        if (!steps_left(s->steps))
            return false;
        if (end <= at) { /* none */
            end = at + 1;
            continue;
        }
        if ((at > run && !add_run(o, step, first, (Piece){at, true}, step->inverted, &before)) ||
            !add_run(o, step, first, (Piece){end, true}, !step->inverted, &before))
            return false;
        run = end;
    }
    return run == to || add_run(o, step, first, (Piece){to, true}, step->inverted, &before);
}

/* A blank, or what is written for one, comes in front of a piece that begins with none; FIRST: of
 * the first piece of the whole text alone. All blanks are written so. */
static bool put_front(const Step *step, const Chars *c, int64_t from, int64_t to, Pieced *o)
{
    int32_t code;
    unicode_read((const unsigned char *)step->text, strlen(step->text), &code);
    TextChar k = c->c[from];
    bool there = k.code == code || k.code == ' ';
    bool wanted = step->front == FRONT_ALWAYS || (step->front == FRONT_FIRST && k.begin == 0);
    bool ok = true;
    k.code = code;
    k.bits = 0;
    if (wanted && !there)
        ok = chars_push(&o->text, k);
    for (int64_t i = from; ok && i < to; i++) {
        k = c->c[i];
        k = k.code == ' ' ? (TextChar){code, 0, k.begin, k.end} : k;
        ok = chars_push(&o->text, k);
    }
    return ok && push(o, (Piece){o->text.n, true});
}

static bool split(Section *s, const Step *step, Pieced *p)
{
    Pieced o = {0};
    bool ok = true, front = step->kind == STEP_FRONT;
    for (int64_t i = 0, from = 0; ok && i < p->n; from = p->piece[i++].end) {
        int64_t to = p->piece[i].end;
        if (!p->piece[i].kept)
            ok = front || push(&o, p->piece[i]);
        else if (from < to)
            ok = front ? put_front(step, &p->text, from, to, &o)
                       : cut(s, step, &p->text, from, to, &o);
    }
    mem_free(p->piece);
    if (front)
        mem_free(p->text.c);
    else
        o.text = p->text;
    *p = o;
    return ok;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The characters as the model sees them, in UTF-8; byte-level: each byte as a character. */
static bool write_piece(const Tokeniser *t, const TextChar *c, int64_t n, Normal *o)
{
    o->n = 0;
    for (int64_t i = 0; i < n; i++) {
        unsigned char bytes[UTF8_MAX_BYTES], shown[2 * UTF8_MAX_BYTES];
        size_t count = utf8_write(c[i].code, bytes), used = 0;
        for (size_t k = 0; t->byte_level && k < count; k++)
            used += utf8_write(byte_to_char(bytes[k]), shown + used);
        if (!normal_put(o, (const char *)(t->byte_level ? shown : bytes),
                        t->byte_level ? used : count, c[i].begin, c[i].end))
            return false;
    }
    return true;
}

static bool tokens_of(Section *s, const TextChar *c, int64_t n, Normal *o)
{
    const Tokeniser *t = s->t;
    if (!write_piece(t, c, n, o))
        return false;
    return t->kind == TOKENISER_WORDPIECE ? wordpiece_piece(s, o)
           : t->kind == TOKENISER_BPE     ? merged_piece(s, o)
                                          : unigram_pieces(s, o);
}

bool split_section(Section *s, const TextChar *c, int64_t n)
{
    const Tokeniser *t = s->t;
    Pieced p = {0};
    Normal o = {0};
    bool ok = push(&p, (Piece){n, true});
    for (int64_t i = 0; ok && i < n; i++)
        ok = chars_push(&p.text, c[i]);
    for (int i = t->normals; ok && i < t->steps; i++)
        ok = split(s, &t->step[i], &p);
    for (int64_t i = 0, from = 0; ok && i < p.n; from = p.piece[i++].end)
        if (p.piece[i].kept && p.piece[i].end > from)
            ok = tokens_of(s, p.text.c + from, p.piece[i].end - from, &o);
    normal_free(&o);
    mem_free(p.text.c);
    mem_free(p.piece);
    return ok;
}
