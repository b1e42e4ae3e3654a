/* grade.c: points of a class. See exam.h.
 *
 * The file has a line of names, student,sheet,1a,1b,2a,..., and a line for each student. An answer
 * is a number, a fraction such as 3/4, or nothing. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/table.h"
#include "lectures/runner/text_stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 2 + QUESTIONS_MOST * ANSWERS_MOST, FIELD = 64 };

/* Of all students that had this kind. */
typedef struct {
    int students, points, of;
} Share;

typedef struct {
    const char *path;
    int line;
    char *text;
    const char *column[COLUMNS_MOST];
    int columns;
    const Kinds *kinds;
    const Choice *choice;
    double tolerance;
    Sheet sheet;
    char **students; /* "NAME\nSHEET" of each line that was graded */
    double *percent;
    Share *share; /* (kinds) */
    int graded, wrong;
    FILE *csv;
} Grading;

static bool complain(Grading *g, const char *column, const char *found, const char *expected)
{
    fprintf(stderr, "%s:%d: %s%s%sfound \"%.40s\"; expected %s\n", g->path, g->line,
            column ? "column " : "", column ? column : "", column ? ": " : "", found, expected);
    g->wrong++;
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Cuts the line at *at off and takes it apart; a text in quotation marks ends with its line.
 * Returns the number of fields, -1: a quotation mark is open. */
static int take_fields(char **at, char separator, const char *field[COLUMNS_MOST + 1])
{
    char *line = *at;
    size_t n = strcspn(line, "\n");
    int quotes = 0, count = 0;
    *at = line + n + (line[n] != 0);
    line[n] = 0;
    for (size_t i = 0; i < n; i++)
        quotes += line[i] == '"';
    bool more = quotes % 2 == 0;
    while (more && count <= COLUMNS_MOST)
        field[count++] = table_field(&line, separator, &more);
    return quotes % 2 ? -1 : count;
}

/* "0.75", "3/4", "-2", and with a comma "0,75". NaN: none of these. */
static double answer_number(const char *text)
{
    char copy[FIELD], *end;
    snprintf(copy, sizeof copy, "%s", text);
    char *comma = strchr(copy, ',');
    if (comma && !strchr(comma + 1, ',') && !strchr(copy, '.'))
        *comma = '.';
    double x = strtod(copy, &end), below = 1;
    bool number = end != copy && !strpbrk(copy, "xXnN") && strlen(text) < FIELD;
    end += strspn(end, " ");
    if (number && *end == '/') {
        char *from = end + 1;
        below = strtod(from, &end);
        number = end != from;
    }
    return number && !end[strspn(end, " \t")] && isfinite(x / below) ? x / below : (double)NAN;
}

static bool is_right(const Grading *g, double right, double found)
{
    bool whole = fabs(right - round(right)) < 1e-9;
    return fabs(found - right) <= (whole ? 1e-9 : g->tolerance) * fmax(fabs(right), 1e-9);
}

/* ---- one student ----------------------------------------------------------------------------- */

/* Draws the sheet "42" or "42-7f3a" unless it is there. */
static bool take_sheet(Grading *g, const char *text)
{
    char *end, expected[128];
    errno = 0;
    unsigned long long seed = strtoull(text, &end, 10);
    if (end == text || *text == '-' || errno || (*end && *end != '-') || seed > 1000000000)
        return complain(g, "sheet", text, "the number of a sheet, such as 42 or 42-7f3a");
    if (g->sheet.count == 0 || g->sheet.seed != seed) {
        sheet_free(&g->sheet);
        if (!sheet_draw(&g->sheet, g->kinds, g->choice, seed))
            return complain(g, "sheet", text, tensor_error());
    }
    snprintf(expected, sizeof expected,
             "%llu-%s with these options; sheets are graded with those that made them", seed,
             g->sheet.code);
    return !*end || strcmp(end + 1, g->sheet.code) == 0 || complain(g, "sheet", text, expected);
}

/* The answer of column "3b"; NULL: the sheet has none. */
static const Answer *answer_of(const Sheet *s, const char *column, int *question)
{
    char *end;
    *question = (int)strtol(column, &end, 10) - 1;
    int k = *end - 'a';
    bool there = *question >= 0 && *question < s->count && k >= 0 && end[0] && !end[1] &&
                 k < s->question[*question].count;
    return there ? &s->question[*question].answer[k] : NULL;
}

/* The points of each question; false where a field is no number. */
static bool take_points(Grading *g, const char *field[], int points[QUESTIONS_MOST])
{
    int i = 0;
    memset(points, 0, sizeof *points * QUESTIONS_MOST);
    for (int c = 2; c < g->columns; c++) {
        const Answer *a = answer_of(&g->sheet, g->column[c], &i);
        double x = answer_number(field[c]);
        if (!field[c][strspn(field[c], " \t")])
            continue;
        if (!a)
            return complain(g, g->column[c], field[c], "nothing: the sheet has no such answer");
        if (isnan(x))
            return complain(g, g->column[c], field[c], "a number, a fraction or nothing");
        const ExamQuestion *q = &g->sheet.question[i];
        if (!is_right(g, a->value, x))
            continue;
        bool last = a == &q->answer[q->count - 1];
        points[i] = last ? q->kind->points : points[i] + a->points;
        if (points[i] > q->kind->points)
            points[i] = q->kind->points;
    }
    return true;
}

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

static void note(Grading *g, const char *student, const int points[QUESTIONS_MOST])
{
    int total = 0;
    for (int i = 0; i < g->sheet.count; i++) {
        const Kind *k = g->sheet.question[i].kind;
        Share *s = &g->share[k - g->kinds->list];
        total += points[i];
        s->students++;
        s->points += points[i];
        s->of += k->points;
    }
    double percent = 100.0 * total / g->sheet.points;
    printf("%-24.24s %10llu %5d /%4d %4.0f %%  ", student, (unsigned long long)g->sheet.seed, total,
           g->sheet.points, percent);
    put_quoted(g->csv, student);
    fprintf(g->csv, ",%llu,%d,%d", (unsigned long long)g->sheet.seed, total, g->sheet.points);
    for (int i = 0; i < g->sheet.count; i++) {
        printf(" %d", points[i]);
        fprintf(g->csv, ",%d", points[i]);
    }
    printf("\n");
    fputs("\n", g->csv);
    g->percent[g->graded++] = percent;
}

static bool take_student(Grading *g, const char *field[])
{
    char both[256], found[64];
    int points[QUESTIONS_MOST];
    if (!*field[0])
        return complain(g, "student", "", "a name");
    if (!take_sheet(g, field[1]) || !take_points(g, field, points))
        return false;
    snprintf(both, sizeof both, "%s\n%llu", field[0], (unsigned long long)g->sheet.seed);
    snprintf(found, sizeof found, "%.48s again", field[0]);
    for (int i = 0; i < g->graded; i++)
        if (strcmp(g->students[i], both) == 0)
            return complain(g, "student", found, "each student once with a sheet");
    if (!(g->students[g->graded] = text_copy(both, strlen(both))))
        return complain(g, NULL, field[0], "memory");
    note(g, field[0], points);
    return true;
}

/* ---- the class ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_summary(Grading *g)
{
    double sum = 0;
    int n = g->graded;
    for (int i = 0; i < n; i++)
        sum += g->percent[i];
    qsort(g->percent, (size_t)n, sizeof *g->percent, ascending);
    printf("\n%d student%s graded, %d line%s not", n, n == 1 ? "" : "s", g->wrong,
           g->wrong == 1 ? "" : "s");
    if (n)
        printf("; mean %.0f %%, median %.0f %%, from %.0f %% to %.0f %%", sum / n,
               (g->percent[(n - 1) / 2] + g->percent[n / 2]) / 2, g->percent[0], g->percent[n - 1]);
    printf("\n\n%-24s %8s %8s %4s\n", "kind of question", "students", "points", "row");
    for (int percent = 0; percent <= 100; percent++) /* what the class knows least comes first */
        for (int i = 0; i < g->kinds->count; i++) {
            const Share *s = &g->share[i];
            if (s->students && 100 * s->points / s->of == percent)
                printf("%-24s %8d %6d %% %4d\n", g->kinds->list[i].name, s->students, percent,
                       g->kinds->list[i].row);
        }
}

static bool take_header(Grading *g, const char *field[], int count)
{
    if (count < 3 || count > COLUMNS_MOST || strcmp(field[0], "student") != 0 ||
        strcmp(field[1], "sheet") != 0)
        return complain(g, NULL, count > 0 ? field[0] : "", "the names student,sheet,1a,1b,...");
    for (int c = 2; c < count; c++)
        for (int k = 2; k < c; k++)
            if (strcmp(field[c], field[k]) == 0)
                return complain(g, NULL, field[c], "each name once");
    memcpy(g->column, field, sizeof *field * (size_t)count);
    g->columns = count;
    return true;
}

static void take_lines(Grading *g)
{
    const char *field[COLUMNS_MOST + 1];
    char *at = g->text, separator = ',';
    size_t first = strcspn(at, "\n");
    if (memchr(at, ';', first) && !memchr(at, ',', first))
        separator = ';'; /* as spreadsheets write where the comma is in numbers */
    for (g->line = 1; *at; g->line++) {
        int count = take_fields(&at, separator, field);
        bool blank = count == 1 && !*field[0];
        char found[64];
        snprintf(found, sizeof found, "%d fields", count);
        if (g->columns == 0) {
            if (!take_header(g, field, count))
                return;
        } else if (count < 0) {
            complain(g, NULL, "an open quotation mark", "that it ends in its line");
        } else if (!blank && count != g->columns) {
            complain(g, NULL, found, "as many as in line 1");
        } else if (!blank) {
            take_student(g, field);
        }
    }
}

int grade_class(const char *path, const Kinds *kinds, const Choice *choice, double tolerance,
                const char *folder)
{
    Grading g = {.path = path, .kinds = kinds, .choice = choice, .tolerance = tolerance};
    char csv[EXAM_PATH + 16];
    size_t lines = 2;
    snprintf(csv, sizeof csv, "%s/grades.csv", folder);
    if (!(g.text = table_text(path)))
        return -1;
    for (const char *c = g.text; *c; c++)
        lines += *c == '\n';
    g.students = calloc(lines, sizeof *g.students);
    g.percent = calloc(lines, sizeof *g.percent);
    g.share = calloc((size_t)kinds->count, sizeof *g.share);
    g.csv = fopen(csv, "w");
    bool ok = g.students && g.percent && g.share && g.csv;
    if (ok) {
        fputs("student,sheet,points,of,questions\n", g.csv);
        printf("%-24s %10s %5s /%4s %6s   points of each question\n", "student", "sheet", "points",
               "of", "");
        take_lines(&g);
        print_summary(&g);
    }
    ok = g.csv && !ferror(g.csv) && fclose(g.csv) == 0 && ok;
    for (int i = 0; g.students && i < g.graded; i++)
        free(g.students[i]);
    free(g.students);
    free(g.percent);
    free(g.share);
    free(g.text);
    sheet_free(&g.sheet);
    return ok ? g.wrong + (g.columns == 0) : (tensor_fail("%s cannot be written", csv), -1);
}
