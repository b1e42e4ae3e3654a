/* grade.c: points of a class. See exam.h. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path;
    Csv csv; /* a row for each student, columns sheet, code, 1a, 1b, 2a, ... */
    const Kinds *kinds;
    char course;
    int minutes; /* of a sheet, at most */
    Sheet sheet;
    double percent; /* of all students together */
} Grading;

static bool wrong(const Grading *g, int row, int column, const char *expected)
{
    return tensor_fail("%s: student %s, column %s: found %g; expected %s", g->path, g->csv.row[row],
                       g->csv.column[column], (double)g->csv.x[row * g->csv.columns + column],
                       expected);
}

/* Draws the sheet of this number, and compares the code, where the student has one. */
static bool take_sheet(Grading *g, int row)
{
    for (int c = 0; c < g->csv.columns; c++) {
        double x = (double)g->csv.x[row * g->csv.columns + c];
        if (strcmp(g->csv.column[c], "sheet") == 0) {
            if (!(x >= 0 && x <= SEED_MOST && x == floor(x)))
                return wrong(g, row, c, "the number of a sheet");
            sheet_free(&g->sheet);
            if (!sheet_draw(&g->sheet, g->kinds, g->course, g->minutes, (uint64_t)x))
                return false;
        } else if (strcmp(g->csv.column[c], "code") == 0 && !isnan(x) && x != g->sheet.code) {
            return wrong(g, row, c, "the code of a sheet that was made with these options");
        }
    }
    return g->sheet.count > 0 || tensor_fail("%s: found no column sheet; expected one", g->path);
}

/* Within 1 % of a number that is not whole: three digits, and the error of one rounded number
 * before them. A table has floats, in which whole numbers are exact up to 2^24. */
static bool is_right(double right, double found)
{
    bool whole = fabs(right - round(right)) < 1e-9;
    return fabs(found - right) <= (whole ? ldexp(1, -24) : 0.01) * fabs(right) + 1e-9;
}

/* The points of each question. */
static bool take_points(Grading *g, int row, int points[QUESTIONS_MOST])
{
    for (int c = 0; c < g->csv.columns; c++) {
        char *end;
        const char *name = g->csv.column[c];
        double x = (double)g->csv.x[row * g->csv.columns + c];
        int i = (int)strtol(name, &end, 10) - 1, k = *end - 'a'; /* "3b" */
        if (isnan(x) || strcmp(name, "sheet") == 0 || strcmp(name, "code") == 0)
            continue;
        const ExamQuestion *q = i >= 0 && i < g->sheet.count ? &g->sheet.question[i] : NULL;
        if (!q || k < 0 || k >= q->count || end[1])
            return wrong(g, row, c, "nothing: the sheet has no such answer");
        if (is_right(q->answer[k].value, x))
            points[i] = k == q->count - 1 ? q->kind->points : points[i] + q->answer[k].points;
        points[i] = points[i] < q->kind->points ? points[i] : q->kind->points;
    }
    return true;
}

static bool take_student(Grading *g, int row, FILE *out)
{
    int points[QUESTIONS_MOST] = {0}, total = 0;
    if (!take_sheet(g, row) || !take_points(g, row, points))
        return false;
    for (int i = 0; i < g->sheet.count; i++)
        total += points[i];
    fputc('"', out);
    for (const char *c = g->csv.row[row]; *c; c++)
        fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(out, "\",%d,%d,%d", (int)g->sheet.seed, total, g->sheet.points);
    for (int i = 0; i < g->sheet.count; i++)
        fprintf(out, ",%d", points[i]);
    fputs("\n", out);
    g->percent += 100.0 * total / g->sheet.points;
    return true;
}

bool grade_class(const char *path, const Kinds *kinds, char course, int minutes, const char *folder)
{
    Grading g = {.path = path, .kinds = kinds, .course = course, .minutes = minutes};
    char csv[EXAM_PATH + 16];
    snprintf(csv, sizeof csv, "%s/grades.csv", folder);
    bool ok = csv_read(&g.csv, path);
    if (ok && (!g.csv.row || !g.csv.column))
        ok = tensor_fail("%s: found no names of students, or of columns; expected a first line "
                         "student,sheet,code,1a,1b,... and names with a letter",
                         path);
    AtomicFile *file = ok ? atomic_open(csv) : NULL;
    if (file)
        fputs("student,sheet,points,of,questions\n", atomic_stream(file));
    for (int i = 0; ok && file && i < g.csv.rows; i++)
        ok = take_student(&g, i, atomic_stream(file));
    if (!ok)
        atomic_discard(file);
    else if ((ok = file && atomic_commit(file)))
        printf("%s: %d students; mean %.0f %%\n", csv, g.csv.rows, g.percent / g.csv.rows);
    sheet_free(&g.sheet);
    csv_free(&g.csv);
    return ok;
}
