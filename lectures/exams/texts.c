/* texts.c: the texts of a question, with its numbers and the course's symbols. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/text_stream.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENOMINATOR_MOST = 1024, DECIMALS_MOST = 4 };

/* ---- lines ----------------------------------------------------------------------------------- */

const char *exam_line(const char *at, char line[EXAM_LINE])
{
    size_t n = strcspn(at, "\n");
    snprintf(line, EXAM_LINE, "%.*s", (int)(n < EXAM_LINE ? n : EXAM_LINE - 1), at);
    return at + n + (at[n] != 0);
}

const char *exam_after(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
        return NULL;
    return line + n + strspn(line + n, " ");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool near_whole(double x)
{
    return fabs(x - round(x)) < 1e-9 * fmax(1, fabs(x));
}

/* 7087872 as 7\,087\,872 */
static void print_whole(FILE *out, double x)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", fabs(x));
    fputs(x <= -0.5 ? "-" : "", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%c", i && (n - i) % 3 == 0 && n > 4 ? "\\," : "", digits[i]);
}

bool number_print(FILE *out, double x)
{
    char text[48];
    double scale = 1;
    if (near_whole(x)) {
        print_whole(out, x);
        return true;
    }
    for (int d = 1; d <= DECIMALS_MOST; d++)
        if (near_whole(x * (scale *= 10))) {
            fprintf(out, "%.*f", d, x);
            return true;
        }
    for (int q = 3; q <= DENOMINATOR_MOST; q++)
        if (near_whole(x * q)) {
            fprintf(out, x < 0 ? "-\\frac{%.0f}{%d}" : "\\frac{%.0f}{%d}", fabs(round(x * q)), q);
            return true;
        }
    snprintf(text, sizeof text, "%.4g", x);
    const char *e = strchr(text, 'e');
    if (e)
        fprintf(out, "%.*s \\cdot 10^{%d}", (int)(e - text), text, atoi(e + 1));
    else
        fputs(text, out);
    return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct {
    const Names *names;
    const char *symbols;
    char course;
    int *line; /* in the kind's file, for messages */
} Texts;

/* What symbols.txt has for the course: lines "NAME V B H Z J" whose fields are separated by |. */
static bool put_symbol(FILE *out, const Texts *d, const char *name, size_t bytes)
{
    char line[EXAM_LINE];
    int column = (int)(strchr("VBHZJ", d->course) - "VBHZJ");
    for (const char *at = d->symbols; *at;) {
        at = exam_line(at, line);
        if (strncmp(line, name, bytes) != 0 || line[bytes] != ' ')
            continue;
        char *field = strchr(line, '|');
        for (int i = 0; field && i < column && strchr(field + 1, '|'); i++)
            field = strchr(field + 1, '|');
        if (!field)
            return tensor_fail("symbols.txt: found '%.40s'; expected six fields", line);
        field += 1 + strspn(field + 1, " ");
        size_t n = strcspn(field, "|");
        while (n > 0 && field[n - 1] == ' ')
            n--;
        fprintf(out, "%.*s", (int)n, field);
        return true;
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
static const char *put_name(FILE *out, const Texts *d, const char *at)
{
    char sign = strchr("={(", *at) && *at ? *at++ : 0, element[2 * NAME_BYTES];
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    const Named *found = names_find(d->names, at, n);
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
        if (!expression(element, d->names, false, &v))
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

static void put_text(FILE *out, const Texts *d, const char *line)
{
    for (const char *at = line; *at;)
        if (*at == '@')
            at = put_name(out, d, at + 1);
        else
            fputc(*at++, out);
}

/* The indented lines that follow `at`, as one paragraph; returns the line after them. */
static const char *take_paragraph(Texts *d, const char *at, char **paragraph)
{
    char line[EXAM_LINE];
    TextStream text;
    FILE *out = text_open(&text);
    for (const char *next; out && *at == ' '; at = next) {
        next = exam_line(at, line);
        put_text(out, d, line + strspn(line, " "));
        if (*next == ' ')
            fputc('\n', out);
        (*d->line)++;
    }
    *paragraph = out ? text_close(&text, NULL) : NULL;
    return at;
}

bool question_texts(ExamQuestion *q, const Names *names, const char *symbols, char course,
                    int *line_number)
{
    Texts texts = {names, symbols, course, line_number}, *d = &texts;
    char line[EXAM_LINE];
    const char *rest;
    int step = -1;
    *line_number = q->kind->line;
    for (const char *at = q->kind->text; *at && !tensor_failed();) {
        at = exam_line(at, line);
        (*d->line)++;
        step += exam_after(line, "step") != NULL;
        if (exam_after(line, "ask")) {
            at = take_paragraph(d, at, &q->asked);
        } else if ((rest = exam_after(line, "name")) && step >= 0) {
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
        if (!q->answer[i].worked || !*q->answer[i].symbol || !q->answer[i].checked || !q->asked)
            return tensor_fail("found a kind without ask, or a step without check or name");
    return !tensor_failed();
}
