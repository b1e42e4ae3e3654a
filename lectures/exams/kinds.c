/* kinds.c: reads the files of questions/, which README.md describes, and draws a question of a
 * kind. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2000, DRAWN_MOST = 32 };

/* The rest of a line that begins with this word; NULL: with another one. */
static const char *after(const char *line, const char *word)
{
    size_t n = strlen(word);
    bool begins = strncmp(line, word, n) == 0 && (!line[n] || line[n] == ' ');
    return begins ? line + n + strspn(line + n, " ") : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static Kind *new_kind(Kinds *kinds, Kind kind)
{
    for (int i = 0; i < kinds->count; i++)
        if (strcmp(kinds->list[i].name, kind.name) == 0) {
            tensor_fail("%s:%d: found a second kind %s; expected another name", kind.file,
                        kind.line, kind.name);
            return NULL;
        }
    Kind *more = realloc(kinds->list, sizeof *more * (size_t)(kinds->count + 1));
    if (!more) {
        tensor_fail("%s:%d: no memory", kind.file, kind.line);
        return NULL;
    }
    kinds->list = more;
    more[kinds->count] = kind;
    return &more[kinds->count++];
}

/* Takes what the line says of the kind as a whole; what it draws and asks is read by
 * question_draw. */
static void read_line(Kind *k, const char *line)
{
    const char *rest;
    k->lines++;
    if ((rest = after(line, "row")))
        k->row = atoi(rest);
    else if ((rest = after(line, "courses")))
        k->courses = rest;
    else if ((rest = after(line, "level")))
        k->level = atoi(rest);
    else if ((rest = after(line, "minutes")))
        k->minutes = atoi(rest);
    else if ((rest = after(line, "step")))
        k->points += atoi(rest);
}

static bool is_whole(Kind *k)
{
    const Row *row = row_with(k->row);
    k->chapter = row ? row->chapter : 0;
    return (k->chapter && k->level >= 1 && k->level <= 3 && k->minutes >= 1 && k->points >= 1) ||
           tensor_fail("%s:%d: found a kind %s that lacks one of these; expected row (of "
                       "lectures/README.md), level 1 to 3, minutes, and a step",
                       k->file, k->line, k->name);
}

/* Ends each line of file[f] with a 0, and lists its kinds. */
static bool read_file(Kinds *kinds, int f)
{
    char *at = kinds->file[f].text = text_read(kinds->file[f].path, NULL), *next;
    const char *file = kinds->file[f].path, *name;
    Kind *k = NULL;
    bool ok = at || tensor_fail("%s cannot be read", file);
    int first = kinds->count;
    for (int number = 1; ok && *at; at = next, number++) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = 0;
        if ((name = after(at, "kind")))
            ok = (k = new_kind(kinds, (Kind){.name = name,
                                             .file = file,
                                             .line = number,
                                             .courses = "VBHZJ",
                                             .text = next}));
        else if (k)
            read_line(k, at);
        else if (*at && *at != '#')
            ok = tensor_fail("%s:%d: found '%.40s'; expected kind NAME", file, number, at);
    }
    for (int i = first; ok && i < kinds->count; i++)
        ok = is_whole(&kinds->list[i]);
    return ok;
}

bool kinds_read(Kinds *kinds, const char *more)
{
    const char *folder = LECTURES_FOLDER "/exams/questions";
    char *path = kinds->file[0].path;
    *kinds = (Kinds){0};
    snprintf(path, EXAM_PATH, "%s/symbols.txt", folder);
    if (!(kinds->symbols = text_read(path, NULL)))
        return tensor_fail("%s cannot be read", path);
    for (int f = 0; f < KIND_FILES - !more; f++) {
        path = kinds->file[f].path;
        if (f + 1 < KIND_FILES)
            snprintf(path, EXAM_PATH, "%s/%d.txt", folder, f + 1);
        else
            snprintf(path, EXAM_PATH, "%s", more);
        if (!read_file(kinds, f))
            return false;
    }
    return true;
}

void kinds_free(Kinds *kinds)
{
    for (int f = 0; f < KIND_FILES; f++)
        free(kinds->file[f].text);
    free(kinds->list);
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
    char course;
    const char *at; /* the line that is read; the end after the last one */
    int line;       /* its number in the kind */
} Drawing;

static void next_line(Drawing *d)
{
    d->at += strlen(d->at) + 1;
    d->line++;
}

/* "a 1 2 0.5" or "a 1..5" */
static bool draw_number(Drawing *d, const char *rest, Named *n)
{
    const char *at = rest + strcspn(rest, " ");
    double among[DRAWN_MOST];
    int count = 0, first, last;
    if (sscanf(at, " %d..%d", &first, &last) == 2)
        for (int x = first; x <= last && count < DRAWN_MOST; x++)
            among[count++] = x;
    for (char *end = NULL; !strstr(at, "..") && count < DRAWN_MOST; count++, at = end) {
        among[count] = strtod(at, &end);
        if (end == at)
            break;
    }
    if (count == 0)
        return tensor_fail("found 'draw %s'; expected draw NAME NUMBER... or FIRST..LAST", rest);
    n->value = (Value){1, 1, {among[rng_below(&d->rng, count)]}};
    return true;
}

/* Adds the name at the beginning of `rest`, and computes what follows "NAME =" unless it is
 * drawn. */
static bool add_name(Drawing *d, const char *rest, bool drawn, Named **n)
{
    size_t bytes, end = strcspn(rest, " ");
    if (names_find(&d->names, rest, &bytes) || d->names.count == NAMES_MOST || bytes == 0 ||
        bytes >= NAME_BYTES || bytes != end)
        return tensor_fail("found the name '%.*s'; expected a new one of at most 31 letters, and "
                           "at most 48 of them",
                           (int)end, rest);
    *n = &d->names.list[d->names.count];
    **n = (Named){0};
    memcpy((*n)->name, rest, bytes);
    const char *at = rest + bytes + strspn(rest + bytes, " =");
    bool ok = drawn ? draw_number(d, rest, *n) : expression(at, &d->names, false, &(*n)->value);
    d->names.count++;
    return ok;
}

/* step POINTS NAME = EXPRESSION */
static bool add_step(Drawing *d, const char *rest)
{
    Named *n;
    char *end;
    if (d->q->count == ANSWERS_MOST)
        return tensor_fail("found a step; expected at most %d", ANSWERS_MOST);
    Answer *a = &d->q->answer[d->q->count++];
    *a = (Answer){.points = (int)strtol(rest, &end, 10)};
    if (!add_name(d, end + strspn(end, " "), false, &n))
        return false;
    a->value = n->value.x[0];
    return n->value.rows * n->value.columns == 1 ||
           tensor_fail("found a matrix; expected a number in a step");
}

/* The library computes in float, with some dozens of roundings of 6e-8 each. */
static bool check_step(Drawing *d, Answer *a, const char *text)
{
    Value library;
    if (!expression(text, &d->names, true, &library))
        return false;
    a->checked = fabs(a->value - library.x[0]) <= 1e-5 * fmax(1, fabs(a->value));
    return a->checked ||
           tensor_fail("kind %s: the solution has %s = %.7g, and the library computes %.7g",
                       d->q->kind->name, d->names.list[d->names.count - 1].name, a->value,
                       library.x[0]);
}

/* A text to be freed: of `line`, or if that is NULL of the indented lines that follow. */
static bool take_text(Drawing *d, const char *line, char **text)
{
    TextStream stream;
    FILE *out = text_open(&stream);
    bool ok = out && (!line || text_put(out, line, &d->names, d->kinds->symbols, d->course));
    for (int i = 0; ok && !line && d->line + 1 < d->q->kind->lines; i++) {
        if (d->at[strlen(d->at) + 1] != ' ')
            break;
        next_line(d);
        fputs(i ? "\n" : "", out);
        ok = text_put(out, d->at + strspn(d->at, " "), &d->names, d->kinds->symbols, d->course);
    }
    *text = out ? text_close(&stream, NULL) : NULL;
    return ok && *text;
}

/* One line of the kind; *again: a need does not hold. */
static bool take_line(Drawing *d, bool *again)
{
    static const char *const other[] = {"row", "level", "minutes", "courses", "#", NULL};
    const char *rest, *line = d->at;
    Answer *a = d->q->count ? &d->q->answer[d->q->count - 1] : NULL;
    Named *n;
    Value v;
    if ((rest = after(line, "draw")))
        return add_name(d, rest, true, &n);
    if ((rest = after(line, "let")))
        return add_name(d, rest, false, &n);
    if ((rest = after(line, "rows")))
        return add_name(d, rest, false, &n) && (n->tokens = true);
    if ((rest = after(line, "need"))) {
        *again = expression(rest, &d->names, false, &v) && v.x[0] == 0;
        return !tensor_failed();
    }
    if ((rest = after(line, "step")))
        return add_step(d, rest);
    if (a && (rest = after(line, "check")))
        return check_step(d, a, rest);
    if (a && !a->symbol && (rest = after(line, "name")))
        return take_text(d, rest, &a->symbol) && take_text(d, NULL, &a->worked);
    if (!d->q->asked && after(line, "ask"))
        return take_text(d, NULL, &d->q->asked);
    for (const char *const *w = other; *w; w++)
        if (after(line, *w))
            return true;
    return !*line ||
           tensor_fail("found '%.40s'; expected a word of lectures/exams/README.md", line);
}

static bool is_complete(const ExamQuestion *q)
{
    bool ok = q->asked && q->count > 0;
    for (int i = 0; ok && i < q->count; i++) {
        const Answer *a = &q->answer[i];
        ok = a->symbol && *a->symbol && *a->worked && a->checked;
    }
    return ok || tensor_fail("found a kind without ask, or a step without check or name");
}

/* Draws until every need holds. */
static bool draw(Drawing *d)
{
    const Kind *k = d->q->kind;
    for (int try = 0; try < TRIES; try++) {
        bool again = false;
        question_free(d->q);
        d->q->kind = k;
        d->names.count = 0;
        d->at = k->text;
        for (d->line = 0; d->line < k->lines && !again; next_line(d))
            if (!take_line(d, &again))
                return false;
        if (!again)
            return is_complete(d->q);
    }
    return tensor_fail("no numbers in %d tries hold every need", TRIES);
}

bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed)
{
    Drawing d = {.q = q, .kinds = kinds, .course = course};
    *q = (ExamQuestion){.kind = kind};
    d.rng = (Rng){.seed = rng_hash(seed, kind->name)};
    d.names.tape = tape_new(1);
    bool ok = d.names.tape && draw(&d);
    if (!ok) { /* the same error, with its line before it */
        char why[512];
        snprintf(why, sizeof why, "%s", tensor_error());
        tensor_clear_error();
        tensor_fail("%s:%d: %s", kind->file, kind->line + 1 + d.line, why);
    }
    tape_free(d.names.tape);
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
