/* kinds.c: reads the files of questions/, which README.md describes, and draws a question of a
 * kind. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, TRIES = 2000, DRAWN_MOST = 32, FILES = 8, CHAPTER_MOST = 8 };

/* ---- lines ----------------------------------------------------------------------------------- */

/* The line at `at` without its end; returns the next one. */
static const char *next_line(const char *at, char line[LINE])
{
    size_t n = strcspn(at, "\n");
    snprintf(line, LINE, "%.*s", (int)(n < LINE ? n : LINE - 1), at);
    return at + n + (at[n] != 0);
}

/* The rest of a line that begins with this word; NULL: with another one. */
static const char *after(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
        return NULL;
    return line + n + strspn(line + n, " ");
}

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
    if ((rest = after(line, "row")))
        k->row = atoi(rest);
    else if ((rest = after(line, "courses")))
        snprintf(k->courses, sizeof k->courses, "%s", rest);
    else if ((rest = after(line, "level")))
        k->level = atoi(rest);
    else if ((rest = after(line, "minutes")))
        k->minutes = atoi(rest);
    else if ((rest = after(line, "step")))
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
    char line[LINE];
    char *text = text_read(file, NULL);
    const char *at = text, *begin = text, *name, *next;
    Kind *k = NULL;
    bool ok = text || tensor_fail("%s cannot be read", file);
    for (int number = 1; ok && *at; at = next, number++) {
        next = next_line(at, line);
        if ((name = after(line, "kind"))) {
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
        tensor_fail("found the name '%.*s'; expected a new one of at most 23 letters, and at most "
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
    const Answer *a = &q->answer[q->count - 1];
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
    if ((rest = after(line, "draw")))
        return new_name(d, rest, &n) && draw_number(d, rest, n);
    if ((rest = after(line, "let")) || (tokens = (rest = after(line, "rows")))) {
        const char *at = new_name(d, rest, &n);
        if (!at || !expression(at, &d->names, false, &n->value))
            return false;
        n->tokens = tokens;
        return true;
    }
    if ((rest = after(line, "need"))) {
        *again = expression(rest, &d->names, false, &v) && v.x[0] == 0;
        return !tensor_failed();
    }
    if ((rest = after(line, "step")))
        return add_step(d, rest);
    if ((rest = after(line, "check")))
        return check_step(d, rest);
    for (const char *const *w =
             (const char *const[]){"row", "level", "minutes", "courses", "ask", "name", NULL};
         *w; w++)
        if (after(line, *w))
            return true;
    return !*line || *line == ' ' || *line == '#' ||
           tensor_fail("found '%.40s'; expected a word of lectures/exams/README.md", line);
}

/* Draws until every need holds. */
static bool draw_numbers(Drawing *d)
{
    char line[LINE];
    const char *text = d->q->kind->text;
    for (int try = 0; try < TRIES; try++) {
        bool again = false;
        d->names.count = d->q->count = 0;
        d->line = d->q->kind->line;
        for (const char *at = text; *at && !again;) {
            at = next_line(at, line);
            d->line++;
            if (!take_line(d, line, &again))
                return false;
        }
        if (!again)
            return d->q->count > 0 || tensor_fail("found no step");
    }
    return tensor_fail("no numbers in %d tries hold every need", TRIES);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* What symbols.txt has for the course: lines "NAME V B H Z J" whose fields are separated by |. */
static bool put_symbol(FILE *out, const Drawing *d, const char *name, size_t bytes)
{
    char line[LINE];
    int column = (int)(strchr("VBHZJ", d->course) - "VBHZJ");
    for (const char *at = d->kinds->symbols; *at;) {
        at = next_line(at, line);
        if (strncmp(line, name, bytes) != 0 || line[bytes] != ' ')
            continue;
        char *field = strchr(line, '|');
        for (int i = 0; field && i < column && strchr(field + 1, '|'); i++)
            field = strchr(field + 1, '|');
        size_t n = field ? strcspn(field + 1, "|") : 0;
        while (n > 0 && field[n] == ' ')
            n--;
        if (field)
            fprintf(out, "%.*s", (int)n, field + 1 + strspn(field + 1, " "));
        return field != NULL;
    }
    return tensor_fail("found @%.*s; expected a name of the kind, or one of symbols.txt",
                       (int)bytes, name);
}

static void put_matrix(FILE *out, const Value *v, bool turned)
{
    int height = turned ? v->columns : v->rows, width = turned ? v->rows : v->columns;
    fputs("\\begin{pmatrix}", out);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            fputs(j ? " & " : i ? " \\\\ " : " ", out);
            number_print(out, turned ? v->x[j * v->columns + i] : v->x[i * v->columns + j]);
        }
    fputs(" \\end{pmatrix}", out);
}

/* After @: NAME, {NAME}, =NAME (with = or \approx before it), (NAME) (in parentheses where it is
 * below 0), each with [i] or [i, j]. Returns what follows. */
static const char *put_name(FILE *out, const Drawing *d, const char *at)
{
    char sign = strchr("={(", *at) && *at ? *at++ : 0, element[2 * NAME_BYTES];
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    const Named *found = names_find(&d->names, at, n);
    if (!found && sign != '=' && sign != '(') {
        put_symbol(out, d, at, n);
        return at + n + (sign != 0);
    }
    Value v = found ? found->value : (Value){0};
    if (!found)
        tensor_fail("found @%.*s; expected a name of the kind", (int)n, at);
    if (at[n] == '[') {
        size_t all = n + strcspn(at + n, "]") + 1;
        snprintf(element, sizeof element, "%.*s", (int)all, at);
        if (!expression(element, &d->names, false, &v))
            return "";
        n = all;
    }
    char *number = NULL;
    TextStream text;
    FILE *stream = text_open(&text);
    bool exact = stream && number_print(stream, v.x[0]);
    number = stream ? text_close(&text, NULL) : NULL;
    bool turned = found && found->tokens && strchr("VB", d->course);
    if (sign == '=')
        fputs(exact ? "= " : "\\approx ", out);
    if (v.rows * v.columns > 1)
        put_matrix(out, &v, turned);
    else if (number)
        fprintf(out, sign == '(' && v.x[0] < 0 ? "(%s)" : "%s", number);
    free(number);
    return at + n + (sign == '{' || sign == '(');
}

static void put_text(FILE *out, const Drawing *d, const char *line)
{
    for (const char *at = line; *at;)
        if (*at == '@')
            at = put_name(out, d, at + 1);
        else
            fputc(*at++, out);
}

/* The indented lines that follow `at`, as one paragraph; returns the line after them. */
static const char *take_paragraph(Drawing *d, const char *at, char **paragraph)
{
    char line[LINE];
    TextStream text;
    FILE *out = text_open(&text);
    for (const char *next; out && *at == ' '; at = next) {
        next = next_line(at, line);
        put_text(out, d, line + strspn(line, " "));
        if (*next == ' ')
            fputc('\n', out);
        d->line++;
    }
    *paragraph = out ? text_close(&text, NULL) : NULL;
    return at;
}

static bool make_texts(Drawing *d)
{
    char line[LINE];
    const char *rest;
    int step = -1;
    ExamQuestion *q = d->q;
    d->line = q->kind->line;
    for (const char *at = q->kind->text; *at && !tensor_failed();) {
        at = next_line(at, line);
        d->line++;
        step += after(line, "step") != NULL;
        if (after(line, "ask")) {
            at = take_paragraph(d, at, &q->asked);
        } else if ((rest = after(line, "name")) && step >= 0) {
            TextStream text;
            FILE *out = text_open(&text);
            if (out)
                put_text(out, d, rest);
            char *symbol = out ? text_close(&text, NULL) : NULL;
            snprintf(q->answer[step].symbol, SYMBOL_BYTES, "%s", symbol ? symbol : "");
            free(symbol);
            at = take_paragraph(d, at, &q->answer[step].worked);
        }
    }
    for (int i = 0; i < q->count && !tensor_failed(); i++)
        if (!q->answer[i].worked || !*q->answer[i].symbol || !q->asked)
            return tensor_fail("expected ask, and name after each step");
    return !tensor_failed();
}

bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course, uint64_t seed)
{
    Drawing d = {.q = q, .kinds = kinds, .course = course};
    *q = (ExamQuestion){.kind = kind};
    d.rng = (Rng){.seed = rng_hash(seed, kind->name)};
    d.names.tape = tape_new(1);
    bool ok = d.names.tape && draw_numbers(&d) && make_texts(&d);
    if (!ok) { /* the same error, with its place before it */
        char why[LINE];
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
