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
    next = at;
    for (const char *from = at; (*next = *from); from++)
        next += *from != '\r'; /* of a file from Windows */
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
    return slide_of_row(course, kind->row) && strchr(kind->courses, course);
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef struct {
    ExamQuestion *q;
    const Kinds *kinds;
    Names names;
    Rng rng;
    Tape *tape; /* of the library's operations */
    char course;
    int line;          /* in the file */
    const Named *step; /* the last one */
    bool checked;      /* is the step? */
} Drawing;

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
 * channels, rounds some 20 times, and none is longer than 32 = 2^5 roundings, of numbers not
 * much larger than its result. What it counts is exact: two counts differ by 1 at least. */
static bool check(Drawing *d, const char *text)
{
    Library library = {.tape = d->tape};
    Value v;
    if (!d->step)
        return tensor_fail("found check; expected a step before it");
    if (!expression(text, &d->names, &library, &v))
        return false;
    if (library.calls == 0)
        return tensor_fail("found '%.60s'; expected a call of the library", text);
    double x = d->step->value.x[0];
    d->checked = fabs(x - v.x[0]) <= fmin(ldexp(fmax(1, fabs(x)), 5 - 24), 0.1);
    return d->checked || tensor_fail("the solution has %s = %.9g, and the library computes %.9g",
                                     d->step->name, x, v.x[0]);
}

/* Adds a line, with the numbers and symbols that it names, to a text that free releases. */
static bool add_line(const Drawing *d, char **text, const char *line)
{
    TextStream stream;
    FILE *out = text_open(&stream);
    if (out && *text)
        fprintf(out, "%s\n", *text);
    bool ok = out && text_put(out, line, &d->names, d->kinds->symbols, d->course);
    free(*text);
    *text = out ? text_close(&stream, NULL) : NULL;
    return ok && *text;
}

/* Has the last step all that belongs to one? */
static bool step_ends(const Drawing *d)
{
    if (!d->step)
        return true;
    const Answer *a = &d->q->answer[d->q->count - 1];
    return (d->checked && a->symbol && a->worked) ||
           tensor_fail("found the end of step %s; expected check, name and its text before it",
                       d->step->name);
}

/* step POINTS NAME = EXPRESSION */
static bool take_step(Drawing *d, const char *line)
{
    char *end;
    int points = (int)strtol(line, &end, 10);
    if (!step_ends(d) || !(d->step = define(d, end + strspn(end, " "), false)))
        return false;
    if (value_size(&d->step->value) != 1 || d->q->count == ANSWERS_MOST)
        return tensor_fail("found a matrix, or a further step; expected a number, and at most %d",
                           ANSWERS_MOST);
    d->q->answer[d->q->count++] = (Answer){.points = points, .value = d->step->value.x[0]};
    d->checked = false;
    return true;
}

/* One line of the kind; *again: a need does not hold. */
static bool take_line(Drawing *d, const char *line, bool *again)
{
    const char *rest;
    Answer *a = d->step ? &d->q->answer[d->q->count - 1] : NULL;
    Named *n;
    Value v;
    if (*line == ' ')
        return add_line(d, a ? &a->worked : &d->q->asked, line + strspn(line, " "));
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
    if ((rest = after(line, "check")))
        return check(d, rest);
    if (a && (rest = after(line, "name")))
        return add_line(d, &a->symbol, rest);
    return !*line || *line == '#' || (!a && after(line, "ask")) ||
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
        d->step = NULL;
        for (const char *at = k->text; at < k->end; at += strlen(at) + 1, d->line++)
            if (!take_line(d, at, &again) || again)
                break;
        if (!again)
            return !tensor_failed() && step_ends(d) &&
                   ((d->q->asked && d->step) || tensor_fail("found a kind without ask or step"));
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
