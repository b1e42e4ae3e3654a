/* kinds.c: reads questions.txt, which README.md describes, and draws a question of a kind: its
 * numbers, its text, and the library's check of each step. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* kind NAME row N level N minutes N [courses VBHZJ] */
static bool read_head(Kinds *kinds, const char *line, int number)
{
    Kind k = {.text = line + strlen(line) + 1, .line = number, .courses = EXAM_COURSES};
    int fields = sscanf(line, "kind %31s row %d level %d minutes %d courses %7s", k.name, &k.row,
                        &k.level, &k.minutes, k.courses);
    const Row *row = fields >= 4 ? row_with(k.row) : NULL;
    if (!row || k.level < 1 || k.level > 3 || k.minutes < 1 || kinds->count == KINDS_MOST)
        return tensor_fail("%s:%d: found '%.60s'; expected kind NAME row N level N minutes N, with "
                           "a row of lectures/README.md and a level from 1 to 3, at most %d times",
                           kinds->path, number, line, KINDS_MOST);
    k.chapter = row->chapter;
    kinds->list[kinds->count++] = k;
    return true;
}

/* Ends each line with a 0; what kinds draw and ask is read by question_write. */
bool kinds_read(Kinds *kinds, const char *path)
{
    size_t length;
    bool inside = true; /* the symbols or a kind, which an empty line ends */
    *kinds = (Kinds){.path = path, .text = text_read(path, &length)};
    if (!kinds->text || length == 0 || kinds->text[length - 1] != '\n')
        return tensor_fail("%s: found no lines; expected kinds of questions", path);
    char *at = kinds->text, *end = at + length, *next;
    for (int number = 1; at < end; at = next, number++) {
        next = at + strcspn(at, "\n") + 1;
        next[-1] = 0;
        if (!inside && *at && *at != '#' && !read_head(kinds, at, number))
            return false;
        inside = *at && (inside || *at != '#');
        Kind *last = kinds->count > 0 ? &kinds->list[kinds->count - 1] : NULL;
        bool why = strncmp(at, "why ", 4) == 0;
        if (last && (why || strncmp(at, "step ", 5) == 0)) {
            last->points += atoi(at + (why ? 4 : 5));
            last->reasons |= why;
        }
    }
    return true;
}

bool kind_taught(const Kind *kind, char course)
{
    return slide_of_row(course, kind->row) && strchr(kind->courses, course);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool near_whole(double x)
{
    return fabs(x - round(x)) < 1e-9 * fmax(1, fabs(x));
}

bool number_text(char text[NUMBER_BYTES], double x)
{
    enum { DECIMALS_MOST = 4, DENOMINATOR_MOST = 4096 };
    double scale = 1;
    for (int d = 0; d <= DECIMALS_MOST; d++, scale *= 10)
        if (near_whole(x * scale))
            return snprintf(text, NUMBER_BYTES, "%.*f", d, near_whole(x) ? round(x) + 0.0 : x) > 0;
    for (int q = 3; q <= DENOMINATOR_MOST; q++)
        if (near_whole(x * q))
            return snprintf(text, NUMBER_BYTES, "%s\\frac{%.0f}{%d}", x < 0 ? "-" : "",
                            fabs(round(x * q)), q) > 0;
    snprintf(text, NUMBER_BYTES, "%.4g", x);
    char *e = strchr(text, 'e');
    if (e)
        snprintf(e, (size_t)(text + NUMBER_BYTES - e), " \\cdot 10^{%d}", atoi(e + 1));
    return false;
}

static void put_matrix(FILE *out, const Value *v, bool transposed)
{
    const int width = transposed ? v->rows : v->columns;
    char text[NUMBER_BYTES];
    fputs("\\begin{pmatrix}", out);
    for (int i = 0; i < value_size(v); i++) {
        number_text(text, v->x[transposed ? i % width * v->columns + i / width : i]);
        fprintf(out, "%s %s", i == 0 ? "" : i % width ? " &" : " \\\\", text);
    }
    fputs(" \\end{pmatrix}", out);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* After an error nothing more is taken, so that it stays with its line. */
typedef struct {
    const ExamQuestion *q;
    FILE *out, *key;
    Names names;
    Rng rng;
    const char *at; /* the next line */
    int line;       /* the number of the one before it */
    int steps;
} Drawing;

/* After @: NAME, =NAME (with = or \approx before it), (NAME) (in parentheses where it is below 0),
 * each with [i] or [i, j]; or a symbol, of the first lines of the file. Returns what follows. */
static const char *put_name(const Drawing *d, const char *at)
{
    char sign = *at == '=' || *at == '(' ? *at++ : 0, text[2 * NUMBER_BYTES] = "", s[6][NAME_BYTES];
    int n = 0;
    Value v;
    sscanf(at, NAME_FORMAT "%n", text, &n);
    const Named *found = names_find(&d->names, text);
    for (const char *line = d->q->kinds->text; *line && !found; line += strlen(line) + 1)
        if (sscanf(line, "%31s %31s %31s %31s %31s %31s", s[0], s[1], s[2], s[3], s[4], s[5]) ==
                6 &&
            strcmp(s[0], text) == 0) {
            fputs(s[1 + strchr(EXAM_COURSES, d->q->course) - EXAM_COURSES], d->out);
            return at + n;
        }
    if (at[n] == '[')
        n += (int)strcspn(at + n, "]") + 1;
    snprintf(text, sizeof text, "%.*s", n, at);
    if (!expression(text, &d->names, NULL, &v))
        return "";
    bool exact = number_text(text, v.x[0]);
    if (sign == '=')
        fputs(exact ? "= " : "\\approx ", d->out);
    if (value_size(&v) > 1)
        put_matrix(d->out, &v, found->tokens && strchr("VB", d->q->course));
    else
        fprintf(d->out, sign == '(' && v.x[0] < 0 ? "(%s)" : "%s", text);
    return at + n + (sign == '(');
}

/* Writes the text up to its end; formulas, which stand between $, become $`...`$. */
static void put_text(const Drawing *d, const char *at, const char *end)
{
    bool formula = false;
    while (*at && at < end)
        if (*at == '@') {
            at = put_name(d, at + 1);
        } else if (*at++ == '$') {
            formula = !formula;
            fputs(formula ? "$`" : "`$", d->out);
        } else {
            fputc(at[-1], d->out);
        }
}

/* The rest of the next line, if it begins with this word; NULL: it does not. */
static const char *take(Drawing *d, const char *word)
{
    const char *line = d->at;
    size_t n = strlen(word);
    if (tensor_failed() || strncmp(line, word, n) != 0)
        return NULL;
    d->at += strlen(line) + 1;
    d->line++;
    return line + n;
}

/* NAME = EXPRESSION */
static Named *define(Drawing *d, const char *line)
{
    Named *n = &d->names.list[d->names.count];
    int read = 0;
    *n = (Named){.value = {1, 1, {0}}};
    sscanf(line, NAME_FORMAT " = %n", n->name, &read);
    if (read == 0 || names_find(&d->names, n->name) || d->names.count == NAMES_MOST - 1)
        tensor_fail("found '%.40s'; expected a new name of at most 31 letters, and = after it",
                    line);
    else if (expression(line + read, &d->names, NULL, &n->value))
        d->names.count++;
    return n;
}

/* Takes the lines of what is given. Does every need hold? */
static bool take_given(Drawing *d)
{
    const char *line;
    for (;;)
        if ((line = take(d, "draw "))) {
            Value *x = &define(d, line)->value;
            *x = (Value){1, 1, {x->x[rng_below(&d->rng, value_size(x))]}};
        } else if ((line = take(d, "rows "))) {
            define(d, line)->tokens = true;
        } else if ((line = take(d, "let "))) {
            define(d, line);
        } else {
            Value v = {1, 1, {1}};
            if (!(line = take(d, "need ")) || !expression(line, &d->names, NULL, &v) || v.x[0] == 0)
                return v.x[0] != 0;
        }
}

/* The library rounds to float, by a relative 2^-24 at most. The longest check, an attention of four
 * channels, rounds some 20 times, and none is longer than 32 = 2^5 roundings, of numbers not
 * much larger than its result. What it counts is exact: two counts differ by 1 at least. */
static void check(const Drawing *d, const char *line, const Named *step)
{
    int calls = 0;
    double x = step->value.x[0];
    Value v;
    expression(line, &d->names, &calls, &v);
    if (calls == 0)
        tensor_fail("found '%.60s'; expected a call of the library", line);
    if (!(fabs(x - v.x[0]) <= fmin(ldexp(fmax(1, fabs(x)), 5 - 24), 0.1)))
        tensor_fail("the solution has %s = %.9g, and the library computes %.9g", step->name, x,
                    v.x[0]);
}

/* The next line is NAME: SOLUTION, of an answer with this number; NAN: one in words. */
static bool put_answer(Drawing *d, int points, double right)
{
    const char *line = take(d, "  "), *solution = line ? strstr(line, ": ") : NULL;
    char letter = (char)('a' + d->steps - 1), text[NUMBER_BYTES] = "";
    if (!solution)
        return false;
    fprintf(d->out, "\n(%c) [%d point%s] ", letter, points, points == 1 ? "" : "s");
    put_text(d, line, solution + 2);
    if (!isnan(right))
        snprintf(text, sizeof text, "%.10g", right + 0.0); /* so that a 0 has no sign */
    if (d->key) {
        put_text(d, solution + 2, d->at);
        fprintf(d->key, "%d%c,%s,%d\n", d->q->number, letter, text, points);
    }
    fputs(d->key ? "\n" : isnan(right) ? ANSWER "\n\n" ANSWER "\n" : ANSWER "\n", d->out);
    return true;
}

/* step POINTS NAME = EXPRESSION, check EXPRESSION and the answer; or why POINTS and the answer.
 * False: there is neither. */
static bool take_step(Drawing *d)
{
    char *rest;
    const char *line = take(d, "why ");
    bool why = line != NULL;
    d->steps++;
    if (!why && !(line = take(d, "step ")))
        return false;
    int points = (int)strtol(line, &rest, 10);
    if (why)
        return put_answer(d, points, (double)NAN) ||
               tensor_fail("found '%.40s'; expected NAME: SOLUTION below why", d->at);
    const Named *n = define(d, rest + strspn(rest, " "));
    if (value_size(&n->value) != 1)
        tensor_fail("found a matrix; expected a number");
    if ((line = take(d, "check ")))
        check(d, line, n);
    return (line && put_answer(d, points, n->value.x[0])) ||
           tensor_fail("found '%.40s'; expected check and NAME: SOLUTION below step %s", d->at,
                       n->name);
}

bool question_write(const ExamQuestion *q, FILE *out, FILE *key)
{
    enum { TRIES = 2000 };
    const Kind *k = q->kind;
    Drawing d = {.q = q, .out = out, .key = key, .rng = {.seed = rng_hash(q->seed, k->name)}};
    const char *line;
    int try = 0;
    fprintf(out, "\n## Question %d: %d points, about %d minute%s, level %d\n\n", q->number,
            k->points, k->minutes, k->minutes == 1 ? "" : "s", k->level);
    do {
        d.at = k->text;
        d.line = k->line;
        d.names.count = 0;
    } while (!take_given(&d) && ++try < TRIES);
    if (try == TRIES)
        tensor_fail("no numbers in %d tries hold every need", TRIES);
    while ((line = take(&d, "  "))) {
        put_text(&d, line, d.at);
        fputc('\n', out);
    }
    while (take_step(&d))
        ;
    d.line += !tensor_failed();
    if (*d.at || d.steps == 1)
        tensor_fail("found '%.40s'; expected a line of lectures/exams/README.md", d.at);
    if (key)
        fprintf(out, "\nRow %d of lectures/README.md, kind %s.\n", k->row, k->name);
    if (tensor_failed()) { /* the same error, with its line before it */
        char why[512];
        snprintf(why, sizeof why, "%s", tensor_error());
        tensor_clear_error();
        tensor_fail("%s:%d: kind %s: %s", q->kinds->path, d.line, k->name, why);
    }
    return !tensor_failed();
}
