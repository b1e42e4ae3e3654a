/* texts.c: the texts of a question, with its numbers and the course's symbols. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENOMINATOR_MOST = 4096, DECIMALS_MOST = 4 };

/* ---- numbers --------------------------------------------------------------------------------- */

static bool near_whole(double x)
{
    return fabs(x - round(x)) < 1e-9 * fmax(1, fabs(x));
}

/* 7087872 as 7\,087\,872 */
static void whole_text(char *text, double x)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", fabs(x));
    if (x <= -0.5)
        *text++ = '-';
    for (int i = 0; i < n; i++)
        text += sprintf(text, "%s%c", i && (n - i) % 3 == 0 && n > 4 ? "\\," : "", digits[i]);
}

bool number_text(char text[NUMBER_BYTES], double x)
{
    double scale = 1;
    if (near_whole(x)) {
        whole_text(text, x);
        return true;
    }
    for (int d = 1; d <= DECIMALS_MOST; d++)
        if (near_whole(x * (scale *= 10)))
            return snprintf(text, NUMBER_BYTES, "%.*f", d, x) > 0;
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

/* ---- texts ----------------------------------------------------------------------------------- */

/* What symbols.txt has for the course: lines "NAME | V | B | H | Z | J". */
static bool put_symbol(FILE *out, const char *symbols, char course, const char *name, size_t bytes)
{
    int column = 1 + (int)(strchr("VBHZJ", course) - "VBHZJ");
    for (const char *line = symbols; *line; line += strcspn(line, "\n"), line += *line != 0) {
        const char *field = line;
        if (strncmp(line, name, bytes) != 0 || (line[bytes] != ' ' && line[bytes] != '|'))
            continue;
        for (int i = 0; i < column; i++) {
            field += strcspn(field, "|\n");
            if (*field++ != '|')
                return tensor_fail("symbols.txt: found '%.40s'; expected six fields", line);
        }
        field += strspn(field, " ");
        size_t n = strcspn(field, "|\n");
        while (n > 0 && field[n - 1] == ' ')
            n--;
        return fprintf(out, "%.*s", (int)n, field) >= 0;
    }
    return tensor_fail("found @%.*s; expected a name of the kind, or one of symbols.txt",
                       (int)bytes, name);
}

static void put_matrix(FILE *out, const Value *v, bool transposed)
{
    int height = transposed ? v->columns : v->rows, width = transposed ? v->rows : v->columns;
    char text[NUMBER_BYTES];
    fputs("\\begin{pmatrix}", out);
    for (int i = 0; i < height * width; i++) {
        int row = i / width, column = i % width;
        number_text(text, v->x[transposed ? column * v->columns + row : i]);
        fprintf(out, "%s %s", column ? " &" : row ? " \\\\" : "", text);
    }
    fputs(" \\end{pmatrix}", out);
}

/* After @: NAME, {NAME}, =NAME (with = or \approx before it), (NAME) (in parentheses where it is
 * below 0), each with [i] or [i, j]. Returns what follows; NULL: an error. */
static const char *put_name(FILE *out, const char *at, const Names *names, const char *symbols,
                            char course)
{
    char sign = *at && strchr("={(", *at) ? *at++ : 0, element[2 * NAME_BYTES];
    char number[NUMBER_BYTES];
    size_t n;
    const Named *found = names_find(names, at, &n);
    const char *end = at + n;
    if (!found)
        return put_symbol(out, symbols, course, at, n) ? end + (sign == '{') : NULL;
    Value v = found->value;
    if (*end == '[') {
        end += strcspn(end, "]") + 1;
        snprintf(element, sizeof element, "%.*s", (int)(end - at), at);
        if (!expression(element, names, NULL, &v))
            return NULL;
    }
    bool exact = number_text(number, v.x[0]);
    if (sign == '=')
        fputs(exact ? "= " : "\\approx ", out);
    if (value_size(&v) > 1)
        put_matrix(out, &v, found->tokens && strchr("VB", course));
    else
        fprintf(out, sign == '(' && v.x[0] < 0 ? "(%s)" : "%s", number);
    return end + (sign == '{' || sign == '(');
}

bool text_put(FILE *out, const char *line, const Names *names, const char *symbols, char course)
{
    bool formula = false;
    for (const char *at = line; at && *at;)
        if (*at == '@') {
            at = put_name(out, at + 1, names, symbols, course);
        } else if (*at++ == '$') {
            formula = !formula;
            fputs(formula ? "$`" : "`$", out);
        } else {
            fputc(at[-1], out);
        }
    return !tensor_failed();
}
