/* kinds.c: reads the files of questions/, which README.md describes, and draws a question of a
 * kind. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2000, DRAWN_MOST = 32, FILES = 8, CHAPTER_MOST = 8 };

/* ---- reading --------------------------------------------------------------------------------- */

static Kind *new_kind(Kinds *kinds, const char *name, const char *file, int line)
{
    for (int i = 0; i < kinds->count; i++)
        if (strcmp(kinds->list[i].name, name) == 0) {
            tensor_fail("%s:%d: found a second kind %s; expected another name", file, line, name);
            return NULL;
        }
    Kind *more = realloc(kinds->list, sizeof *more * (size_t)(kinds->count + 1));
    if (!more) {
        tensor_fail("%s:%d: no memory", file, line);
        return NULL;
    }
    kinds->list = more;
    Kind *k = &more[kinds->count++];
    *k = (Kind){.line = line, .courses = "VBHZJ"};
    snprintf(k->name, sizeof k->name, "%s", name);
    snprintf(k->file, sizeof k->file, "%s", file);
    return k;
}

/* Takes what the line says of the kind as a whole; what it draws and asks is read by
 * question_draw. */
static void read_line(Kind *k, const char *line)
{
    const char *rest;
    if ((rest = exam_after(line, "row")))
        k->row = atoi(rest);
    else if ((rest = exam_after(line, "courses")))
        snprintf(k->courses, sizeof k->courses, "%s", rest);
    else if ((rest = exam_after(line, "level")))
        k->level = atoi(rest);
    else if ((rest = exam_after(line, "minutes")))
        k->minutes = atoi(rest);
    else if ((rest = exam_after(line, "step")))
        k->points += atoi(rest);
}

static bool finish_kind(Kind *k, const char *from, const char *to)
{
    for (const Row *r = rows; r->number; r++)
        if (r->number == k->row)
            k->chapter = r->chapter;
    if (!k->chapter || k->level < 1 || k->level > 3 || k->minutes < 1 || k->points < 1)
        return tensor_fail("%s:%d: found a kind %s that lacks one of these; expected row (of "
                           "lectures/README.md), level 1 to 3, minutes, and a step",
                           k->file, k->line, k->name);
    k->text = text_copy(from, (size_t)(to - from));
    return k->text || tensor_fail("%s:%d: no memory", k->file, k->line);
}

static bool read_file(Kinds *kinds, const char *file)
{
    char line[EXAM_LINE];
    char *text = text_read(file, NULL);
    const char *at = text, *begin = text, *name, *next;
    Kind *k = NULL;
    bool ok = text || tensor_fail("%s cannot be read", file);
    for (int number = 1; ok && *at; at = next, number++) {
        next = exam_line(at, line);
        if ((name = exam_after(line, "kind"))) {
            ok = (!k || finish_kind(k, begin, at)) && (k = new_kind(kinds, name, file, number));
            begin = next;
        } else if (k) {
            read_line(k, line);
        } else if (*line && *line != '#') {
            ok = tensor_fail("%s:%d: found '%.40s'; expected kind NAME", file, number, line);
        }
    }
    ok = ok && (!k || finish_kind(k, begin, at));
    free(text);
    return ok;
}

bool kinds_read(Kinds *kinds, const char *more)
{
    char file[EXAM_PATH];
    *kinds = (Kinds){0};
    snprintf(file, sizeof file, "%s/exams/questions/symbols.txt", LECTURES_FOLDER);
    if (!(kinds->symbols = text_read(file, NULL)))
        return tensor_fail("%s cannot be read", file);
    for (int chapter = 1; chapter <= CHAPTER_MOST; chapter++) {
        snprintf(file, sizeof file, "%s/exams/questions/%d.txt", LECTURES_FOLDER, chapter);
        if (!read_file(kinds, file))
            return false;
    }
    return !more || read_file(kinds, more);
}

void kinds_free(Kinds *kinds)
{
    for (int i = 0; i < kinds->count; i++)
        free(kinds->list[i].text);
    free(kinds->list);
    free(kinds->symbols);
    *kinds = (Kinds){0};
}

bool kind_taught(const Kind *kind, char course)
{
    bool taught = false;
    for (const Slide *s = slides; s->title; s++)
        for (int i = 0; s->lecture == course && i < SLIDE_ROWS && s->rows[i]; i++)
            taught |= s->rows[i] == kind->row;
    return taught && strchr(kind->courses, course) != NULL;
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef struct {
    ExamQuestion *q;
    const Kinds *kinds;
    Names names;
    Rng rng;
    char course;
    int line; /* in the kind's file */
} Drawing;

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

/* Adds the name at the beginning of `rest`, and returns what follows "NAME ="; NULL: an error. */
static const char *new_name(Drawing *d, const char *rest, Named **n)
{
    size_t bytes = strcspn(rest, " ");
    const char *at = rest + bytes + strspn(rest + bytes, " =");
    if (d->names.count == NAMES_MOST || bytes == 0 || bytes >= NAME_BYTES ||
        names_find(&d->names, rest, bytes)) {
        tensor_fail("found the name '%.*s'; expected a new one of at most 31 letters, and at most "
                    "48 of them",
                    (int)bytes, rest);
        return NULL;
    }
    *n = &d->names.list[d->names.count++];
    **n = (Named){0};
    memcpy((*n)->name, rest, bytes);
    return at;
}

/* The library computes in float, with some dozens of roundings of 6e-8 each. */
static bool close_enough(double hand, double library)
{
    return fabs(hand - library) <= 1e-5 * fmax(1, fabs(hand));
}

static bool check_step(Drawing *d, const char *text)
{
    Value library;
    ExamQuestion *q = d->q;
    if (q->count == 0 || !expression(text, &d->names, true, &library))
        return tensor_failed() ? false : tensor_fail("found check; expected a step before it");
    Answer *a = &q->answer[q->count - 1];
    a->checked = true;
    return close_enough(a->value, library.x[0]) ||
           tensor_fail("kind %s: the solution has %s = %.7g, and the library computes %.7g",
                       q->kind->name, d->names.list[d->names.count - 1].name, a->value,
                       library.x[0]);
}

/* step POINTS NAME = EXPRESSION */
static bool add_step(Drawing *d, const char *rest)
{
    Named *n;
    char *end;
    if (d->q->count == ANSWERS_MOST)
        return tensor_fail("found a step; expected at most %d", ANSWERS_MOST);
    Answer *a = &d->q->answer[d->q->count++];
    *a = (Answer){0};
    a->points = (int)strtol(rest, &end, 10);
    const char *at = new_name(d, end + strspn(end, " "), &n);
    if (!at || !expression(at, &d->names, false, &n->value))
        return false;
    a->value = n->value.x[0];
    return n->value.rows * n->value.columns == 1 ||
           tensor_fail("found a matrix; expected a number in a step");
}

/* One line of the kind; *again: a need does not hold. */
static bool take_line(Drawing *d, const char *line, bool *again)
{
    const char *rest;
    Named *n;
    Value v;
    bool tokens = false;
    if ((rest = exam_after(line, "draw")))
        return new_name(d, rest, &n) && draw_number(d, rest, n);
    if ((rest = exam_after(line, "let")) || (tokens = (rest = exam_after(line, "rows")))) {
        const char *at = new_name(d, rest, &n);
        if (!at || !expression(at, &d->names, false, &n->value))
            return false;
        n->tokens = tokens;
        return true;
    }
    if ((rest = exam_after(line, "need"))) {
        *again = expression(rest, &d->names, false, &v) && v.x[0] == 0;
        return !tensor_failed();
    }
    if ((rest = exam_after(line, "step")))
        return add_step(d, rest);
    if ((rest = exam_after(line, "check")))
        return check_step(d, rest);
    for (const char *const *w =
             (const char *const[]){"row", "level", "minutes", "courses", "ask", "name", NULL};
         *w; w++)
        if (exam_after(line, *w))
            return true;
    return !*line || *line == ' ' || *line == '#' ||
           tensor_fail("found '%.40s'; expected a word of lectures/exams/README.md", line);
}

/* Draws until every need holds. */
static bool draw_numbers(Drawing *d)
{
    char line[EXAM_LINE];
    const char *text = d->q->kind->text;
    for (int try = 0; try < TRIES; try++) {
        bool again = false;
        d->names.count = d->q->count = 0;
        d->line = d->q->kind->line;
        for (const char *at = text; *at && !again;) {
            at = exam_line(at, line);
            d->line++;
            if (!take_line(d, line, &again))
                return false;
        }
        if (!again)
            return d->q->count > 0 || tensor_fail("found no step");
    }
    return tensor_fail("no numbers in %d tries hold every need", TRIES);
}

/* ---- the question ---------------------------------------------------------------------------- */

bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed)
{
    Drawing d = {.q = q, .kinds = kinds, .course = course};
    *q = (ExamQuestion){.kind = kind};
    d.rng = (Rng){.seed = rng_hash(seed, kind->name)};
    d.names.tape = tape_new(1);
    bool ok = d.names.tape && draw_numbers(&d) &&
              question_texts(q, &d.names, kinds->symbols, course, &d.line);
    if (!ok) { /* the same error, with its place before it */
        char why[EXAM_LINE];
        snprintf(why, sizeof why, "%s", tensor_error());
        tensor_clear_error();
        tensor_fail("%s:%d: %s", kind->file, d.line, why);
    }
    tape_free(d.names.tape);
    return ok;
}

void question_free(ExamQuestion *q)
{
    free(q->asked);
    for (int i = 0; i < q->count; i++)
        free(q->answer[i].worked);
    *q = (ExamQuestion){0};
}
