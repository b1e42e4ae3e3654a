/* kinds.c: reads the files of questions/, which README.md describes, and draws a question of a
 * kind. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2000 };

/* The rest of a line that begins with this word; NULL: with another one. */
static const char *after(const char *line, const char *word)
{
    size_t n = strlen(word);
    bool begins = strncmp(line, word, n) == 0 && (!line[n] || line[n] == ' ');
    return begins ? line + n + strspn(line + n, " ") : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

const Kind *kind_named(const Kinds *kinds, const char *name)
{
    for (int i = 0; i < kinds->count; i++)
        if (strcmp(kinds->list[i].name, name) == 0)
            return &kinds->list[i];
    return NULL;
}

/* kind NAME row N level N minutes N [courses VBHZJ]; NULL: an error */
static Kind *read_head(Kinds *kinds, const char *line, const char *file, int number)
{
    Kind k = {.file = file, .text = line + strlen(line) + 1, .line = number, .courses = "VBHZJ"};
    int fields = sscanf(line, "kind %31s row %d level %d minutes %d courses %7s", k.name, &k.row,
                        &k.level, &k.minutes, k.courses);
    const Row *row = fields >= 4 ? row_with(k.row) : NULL;
    if (!row || k.level < 1 || k.level > 3 || k.minutes < 1)
        tensor_fail("%s:%d: found '%.60s'; expected kind NAME row N level N minutes N, with a row "
                    "of lectures/README.md and a level from 1 to 3",
                    file, number, line);
    else if (kind_named(kinds, k.name) || kinds->count == KINDS_MOST)
        tensor_fail("%s:%d: found a second kind %s, or more than %d; expected another name", file,
                    number, k.name, KINDS_MOST);
    if (tensor_failed())
        return NULL;
    k.chapter = row->chapter;
    kinds->list[kinds->count] = k;
    return &kinds->list[kinds->count++];
}

/* Ends each line with a 0, and lists the kinds; what they draw and ask is read by question_draw. */
static bool read_file(Kinds *kinds, int f)
{
    const char *file = kinds->file[f].path, *rest;
    char *at = kinds->file[f].text = text_read(file, NULL), *next;
    Kind *k = NULL;
    if (!at)
        return tensor_fail("%s cannot be read", file);
    for (int number = 1; *at; at = next, number++) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = 0;
        if (after(at, "kind") && !(k = read_head(kinds, at, file, number)))
            return false;
        if (!k && *at && *at != '#')
            return tensor_fail("%s:%d: found '%.40s'; expected kind NAME", file, number, at);
        if (k && (rest = after(at, "step")))
            k->points += atoi(rest);
        if (k)
            k->end = next;
    }
    return true;
}

bool kinds_read(Kinds *kinds, const char *more)
{
    *kinds = (Kinds){0};
    for (int f = 0; f < KIND_FILES - !more; f++) {
        char *path = kinds->file[f].path;
        if (f < KIND_FILES - 1)
            snprintf(path, EXAM_PATH, "%s/exams/questions/%d.txt", LECTURES_FOLDER, f + 1);
        else
            snprintf(path, EXAM_PATH, "%s", more);
        if (!read_file(kinds, f))
            return false;
    }
    return (kinds->symbols = text_read(LECTURES_FOLDER "/exams/questions/symbols.txt", NULL)) ||
           tensor_fail("symbols.txt cannot be read");
}

void kinds_free(Kinds *kinds)
{
    for (int f = 0; f < KIND_FILES; f++)
        free(kinds->file[f].text);
    free(kinds->symbols);
    *kinds = (Kinds){0};
}

bool kind_taught(const Kind *kind, char course)
{
    for (const Slide *s = slides; s->title; s++)
        if (s->lecture == course && slide_shows(s, kind->row))
            return strchr(kind->courses, course) != NULL;
    return false;
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef struct {
    ExamQuestion *q;
    const Kinds *kinds;
    Names names;
    Rng rng;
    Tape *tape; /* of the library's operations */
    char course;
    const char *at; /* the line that is read */
    int line;       /* its number in the file */
} Drawing;

/* The line after this one; "" after the last one. */
static const char *next_line(const Drawing *d)
{
    const char *next = d->at + strlen(d->at) + 1;
    return next < d->q->kind->end ? next : "";
}

/* NAME = EXPRESSION, of which a drawn number is one element. NULL: an error. */
static Named *define(Drawing *d, const char *rest, bool drawn)
{
    size_t bytes, end = strcspn(rest, " ");
    const char *text = rest + end + strspn(rest + end, " ");
    Named *n = &d->names.list[d->names.count];
    if (names_find(&d->names, rest, &bytes) || d->names.count == NAMES_MOST || bytes == 0 ||
        bytes >= NAME_BYTES || bytes != end || *text != '=') {
        tensor_fail("found '%.40s'; expected a new name of at most 31 letters, at most 48 of them, "
                    "and = after it",
                    rest);
        return NULL;
    }
    *n = (Named){0};
    memcpy(n->name, rest, bytes);
    if (!expression(text + 1, &d->names, NULL, &n->value))
        return NULL;
    if (drawn)
        n->value = (Value){1, 1, {n->value.x[rng_below(&d->rng, value_size(&n->value))]}};
    d->names.count++;
    return n;
}

/* The library rounds to float, by a relative 2^-24 at most. The longest check, an attention of four
 * channels, rounds some 20 times, and none is longer than 32 = 2^5 roundings, each of a number up
 * to `largest`. What it counts is exact. */
static bool check(const Drawing *d, const char *text, const Named *n)
{
    Library library = {.tape = d->tape};
    Value v;
    if (!expression(text, &d->names, &library, &v))
        return false;
    if (library.calls == 0)
        return tensor_fail("found '%.60s'; expected a call of the library", text);
    double x = n->value.x[0], largest = library.largest > 0 ? fmax(library.largest, fabs(x)) : 0;
    return fabs(x - v.x[0]) <= ldexp(largest, 5 - 24) + 1e-12 * fabs(x) ||
           tensor_fail("the solution has %s = %.9g, and the library computes %.9g", n->name, x,
                       v.x[0]);
}

/* A text to be freed: `line`, or if that is NULL the indented lines that follow. */
static bool take_text(Drawing *d, const char *line, char **text)
{
    TextStream stream;
    FILE *out = text_open(&stream);
    bool ok = out && (!line || text_put(out, line, &d->names, d->kinds->symbols, d->course));
    for (int i = 0; ok && !line && *next_line(d) == ' '; i++, d->line++) {
        d->at = next_line(d);
        fputs(i ? "\n" : "", out);
        ok = text_put(out, d->at + strspn(d->at, " "), &d->names, d->kinds->symbols, d->course);
    }
    *text = out ? text_close(&stream, NULL) : NULL;
    return ok && *text && (**text || tensor_fail("found no text; expected one, indented"));
}

/* The rest of the next line, which must begin with this word; NULL: an error. */
static const char *need(Drawing *d, const char *word)
{
    d->at = next_line(d);
    d->line++;
    const char *rest = after(d->at, word);
    if (!rest)
        tensor_fail("found '%.40s'; expected %s after a step", d->at, word);
    return rest;
}

/* step POINTS NAME = EXPRESSION, check EXPRESSION, name TEXT, and the worked step */
static bool take_step(Drawing *d, const char *line)
{
    char *end;
    const char *rest;
    if (d->q->count == ANSWERS_MOST)
        return tensor_fail("found a further step; expected at most %d", ANSWERS_MOST);
    Answer *a = &d->q->answer[d->q->count++];
    a->points = (int)strtol(line, &end, 10);
    const Named *n = define(d, end + strspn(end, " "), false);
    if (!n || value_size(&n->value) != 1)
        return n && tensor_fail("found a matrix; expected a number in a step");
    a->value = n->value.x[0];
    return (rest = need(d, "check")) && check(d, rest, n) && (rest = need(d, "name")) &&
           take_text(d, rest, &a->symbol) && take_text(d, NULL, &a->worked);
}

/* One line of the kind; *again: a need does not hold. */
static bool take_line(Drawing *d, bool *again)
{
    const char *rest, *line = d->at;
    Named *n;
    Value v;
    if ((rest = after(line, "draw")) || (rest = after(line, "let")))
        return define(d, rest, *line == 'd') != NULL;
    if ((rest = after(line, "rows")))
        return (n = define(d, rest, false)) && (n->tokens = true);
    if ((rest = after(line, "need"))) {
        *again = expression(rest, &d->names, NULL, &v) && v.x[0] == 0;
        return !tensor_failed();
    }
    if ((rest = after(line, "step")))
        return take_step(d, rest);
    if (!d->q->asked && after(line, "ask"))
        return take_text(d, NULL, &d->q->asked);
    return !*line || *line == '#' ||
           tensor_fail("found '%.40s'; expected a word of lectures/exams/README.md", line);
}

/* Draws until every need holds. */
static bool draw(Drawing *d, const Kind *k)
{
    for (int try = 0; try < TRIES; try++) {
        bool again = false;
        question_free(d->q);
        d->q->kind = k;
        d->names.count = 0;
        d->line = k->line + 1;
        for (d->at = k->text; d->at < k->end; d->at += strlen(d->at) + 1, d->line++)
            if (!take_line(d, &again) || again)
                break;
        if (!again)
            return !tensor_failed() && ((d->q->asked && d->q->count > 0) ||
                                        tensor_fail("found a kind without ask or step"));
    }
    return tensor_fail("no numbers in %d tries hold every need", TRIES);
}

bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed)
{
    Drawing d = {.q = q, .kinds = kinds, .course = course, .tape = tape_new(1)};
    *q = (ExamQuestion){.kind = kind};
    d.rng = (Rng){.seed = rng_hash(seed, kind->name)};
    bool ok = d.tape && draw(&d, kind);
    if (!ok) { /* the same error, with its line before it */
        char why[512];
        snprintf(why, sizeof why, "%s", tensor_error());
        tensor_clear_error();
        tensor_fail("%s:%d: kind %s: %s", kind->file, d.line, kind->name, why);
    }
    tape_free(d.tape);
    return ok;
}

void question_free(ExamQuestion *q)
{
    free(q->asked);
    for (int i = 0; i < q->count; i++) {
        free(q->answer[i].symbol);
        free(q->answer[i].worked);
    }
    *q = (ExamQuestion){0};
}
