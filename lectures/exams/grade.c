/* grade.c: points of a class. See exam.h.
 *
 * The file has a line of names, student,sheet,1a,1b,2a,..., and a line for each student. An answer
 * is a number, a fraction such as 3/4, or nothing. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 2 + QUESTIONS_MOST * ANSWERS_MOST };
static const double tolerance = 0.01; /* of numbers that are not whole */

typedef struct {
    const char *path, *column[COLUMNS_MOST];
    int line, columns, graded, wrong, least, most; /* least and most per cent */
    double sum;                                    /* of per cents */
    const Kinds *kinds;
    const Choice *choice;
    Sheet sheet;
    struct {
        int students, points, of;
    } * share; /* of each kind */
    FILE *csv;
} Grading;

static bool complain(Grading *g, const char *column, const char *found, const char *expected)
{
    fprintf(stderr, "%s:%d: %s%s%sfound \"%.40s\"; expected %s\n", g->path, g->line,
            column ? "column " : "", column ? column : "", column ? ": " : "", found, expected);
    g->wrong++;
    return false;
}

/* ---- one student ----------------------------------------------------------------------------- */

/* "0.75", "3/4", "-2", and with a comma "0,75". NaN: none of these. */
static double answer_number(char *text)
{
    char *end, *comma = strchr(text, ',');
    if (comma && !strchr(comma + 1, ',') && !strchr(text, '.'))
        *comma = '.';
    double x = strtod(text, &end), below = 1;
    bool number = end != text && !strpbrk(text, "xXnN");
    end += strspn(end, " ");
    if (number && *end == '/') {
        char *from = end + 1;
        below = strtod(from, &end);
        number = end != from;
    }
    return number && !end[strspn(end, " \t")] && isfinite(x / below) ? x / below : (double)NAN;
}

static bool is_right(double right, double found)
{
    bool whole = fabs(right - round(right)) < 1e-9;
    return fabs(found - right) <= (whole ? 1e-9 : tolerance) * fmax(fabs(right), 1e-9);
}

/* Draws the sheet "42" or "42-7f3a" unless it is there. */
static bool take_sheet(Grading *g, const char *text)
{
    char *end, expected[96];
    unsigned long long seed = strtoull(text, &end, 10);
    if (end == text || *text == '-' || (*end && *end != '-') || seed > 1000000000)
        return complain(g, "sheet", text, "the number of a sheet, such as 42 or 42-7f3a");
    if (g->sheet.count == 0 || g->sheet.seed != seed) {
        sheet_free(&g->sheet);
        if (!sheet_draw(&g->sheet, g->kinds, g->choice, seed))
            return complain(g, "sheet", text, tensor_error());
    }
    snprintf(expected, sizeof expected, "%llu-%s with these options, which must be the sheet's",
             seed, g->sheet.code);
    return !*end || strcmp(end + 1, g->sheet.code) == 0 || complain(g, "sheet", text, expected);
}

/* The points of each question; false where a field is no number. */
static bool take_points(Grading *g, char *field[], int points[QUESTIONS_MOST])
{
    memset(points, 0, sizeof *points * QUESTIONS_MOST);
    for (int c = 2; c < g->columns; c++) {
        char *end;
        int i = (int)strtol(g->column[c], &end, 10) - 1, k = *end - 'a'; /* "3b" */
        if (!field[c][strspn(field[c], " \t")])
            continue;
        const ExamQuestion *q = i >= 0 && i < g->sheet.count ? &g->sheet.question[i] : NULL;
        if (!q || k < 0 || k >= q->count || end[1])
            return complain(g, g->column[c], field[c], "nothing: the sheet has no such answer");
        double x = answer_number(field[c]);
        if (isnan(x))
            return complain(g, g->column[c], field[c], "a number, a fraction or nothing");
        if (is_right(q->answer[k].value, x))
            points[i] = k == q->count - 1 ? q->kind->points : points[i] + q->answer[k].points;
        if (points[i] > q->kind->points)
            points[i] = q->kind->points;
    }
    return true;
}

static void take_student(Grading *g, char *field[])
{
    int points[QUESTIONS_MOST], total = 0;
    unsigned long long seed;
    if (!*field[0]) {
        complain(g, "student", "", "a name");
        return;
    }
    if (!take_sheet(g, field[1]) || !take_points(g, field, points))
        return;
    for (int i = 0; i < g->sheet.count; i++) {
        const Kind *k = g->sheet.question[i].kind;
        total += points[i];
        g->share[k - g->kinds->list].students++;
        g->share[k - g->kinds->list].points += points[i];
        g->share[k - g->kinds->list].of += k->points;
    }
    double percent = 100.0 * total / g->sheet.points;
    seed = g->sheet.seed;
    printf("%-24.24s %10llu %5d /%4d %4.0f %%  ", field[0], seed, total, g->sheet.points, percent);
    fputc('"', g->csv);
    for (const char *c = field[0]; *c; c++)
        fprintf(g->csv, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(g->csv, "\",%llu,%d,%d", seed, total, g->sheet.points);
    for (int i = 0; i < g->sheet.count; i++) {
        printf(" %d", points[i]);
        fprintf(g->csv, ",%d", points[i]);
    }
    printf("\n");
    fputs("\n", g->csv);
    g->least = g->graded == 0 || percent < g->least ? (int)percent : g->least;
    g->most = percent > g->most ? (int)percent : g->most;
    g->sum += percent;
    g->graded++;
}

/* ---- the class ------------------------------------------------------------------------------- */

static void print_summary(const Grading *g)
{
    printf("\n%d student%s graded, %d line%s not", g->graded, g->graded == 1 ? "" : "s", g->wrong,
           g->wrong == 1 ? "" : "s");
    if (g->graded)
        printf("; mean %.0f %%, from %d %% to %d %%", g->sum / g->graded, g->least, g->most);
    printf("\n\n%-24s %8s %8s %4s\n", "kind of question", "students", "points", "row");
    for (int percent = 0; percent <= 100; percent++) /* what the class knows least comes first */
        for (int i = 0; i < g->kinds->count; i++)
            if (g->share[i].students && 100 * g->share[i].points / g->share[i].of == percent)
                printf("%-24s %8d %6d %% %4d\n", g->kinds->list[i].name, g->share[i].students,
                       percent, g->kinds->list[i].row);
}

/* One line, taken apart; a text in quotation marks ends with it. */
static void take_line(Grading *g, char *line, char separator)
{
    char *field[COLUMNS_MOST], found[32];
    int count = 0, quotes = 0;
    bool more = true;
    for (const char *c = line; *c; c++)
        quotes += *c == '"';
    while (more && count < COLUMNS_MOST)
        field[count++] = table_field(&line, separator, &more);
    snprintf(found, sizeof found, "%d fields", count);
    if (g->columns == 0 && (count < 3 || more || strcmp(field[0], "student") != 0)) {
        complain(g, NULL, field[0], "the names student,sheet,1a,1b,...");
    } else if (g->columns == 0) {
        g->columns = count;
        memcpy(g->column, field, sizeof *field * (size_t)count);
    } else if (quotes % 2) {
        complain(g, NULL, "an open quotation mark", "that it ends in its line");
    } else if (count > 1 && (count != g->columns || more)) {
        complain(g, NULL, found, "as many as in line 1");
    } else if (count > 1) {
        take_student(g, field);
    }
}

int grade_class(const char *path, const Kinds *kinds, const Choice *choice, const char *folder)
{
    Grading g = {.path = path, .kinds = kinds, .choice = choice, .line = 1};
    char csv[EXAM_PATH + 16], *text = table_text(path), separator = ',';
    if (!text)
        return -1;
    size_t first = strcspn(text, "\n");
    if (memchr(text, ';', first) && !memchr(text, ',', first))
        separator = ';'; /* as spreadsheets write where the comma is in numbers */
    snprintf(csv, sizeof csv, "%s/grades.csv", folder);
    g.share = calloc((size_t)kinds->count, sizeof *g.share);
    g.csv = fopen(csv, "w");
    bool ok = g.share && g.csv;
    if (ok)
        fputs("student,sheet,points,of,questions\n", g.csv);
    for (char *at = text, *next; ok && *at && (g.line == 1 || g.columns); at = next, g.line++) {
        next = at + strcspn(at, "\n");
        if (*next)
            *next++ = 0;
        take_line(&g, at, separator);
    }
    if (ok)
        print_summary(&g);
    ok = g.csv && !ferror(g.csv) && fclose(g.csv) == 0 && ok;
    free(g.share);
    free(text);
    sheet_free(&g.sheet);
    return ok ? g.wrong + (g.columns == 0) : (tensor_fail("%s cannot be written", csv), -1);
}
