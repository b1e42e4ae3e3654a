/* grade.c: points of a class, by the keys that were written beside its sheets. See exam.h. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/table.h"
#include "tensor/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path, *folder;
    Csv csv;        /* a row for each student, columns sheet, 1a, 1b, 2a, ... */
    Csv key;        /* of the student's sheet: rows 1a, 1b, 2a, ..., columns right and points */
    double percent; /* of all students together */
} Grading;

static int index_of(const char *const *names, int count, const char *name)
{
    while (--count >= 0 && strcmp(names[count], name) != 0)
        ;
    return count;
}

/* Reads the key of the student's sheet, and looks for answers that it does not have. */
static bool take_key(Grading *g, int row, const double *x, int sheet)
{
    char path[EXAM_PATH + 32];
    const char *student = g->csv.row[row];
    csv_free(&g->key);
    snprintf(path, sizeof path, "%s/key-%.10g.csv", g->folder, (double)x[sheet]);
    if (!csv_read(&g->key, path) || !g->key.row || g->key.columns != 2) {
        tensor_clear_error();
        return tensor_fail("%s: student %s: found no key %s; expected the one that ./gradus exam "
                           "--seed %.10g writes beside the sheet",
                           g->path, student, path, (double)x[sheet]);
    }
    for (int c = 0; c < g->csv.columns; c++)
        if (c != sheet && !isnan(x[c]) && index_of(g->key.row, g->key.rows, g->csv.column[c]) < 0)
            return tensor_fail("%s: student %s, column %s: found %g; expected nothing: the sheet "
                               "has no such answer",
                               g->path, student, g->csv.column[c], (double)x[c]);
    return true;
}

/* Whole numbers are exact; others within 1 %: three digits, and the error of one rounded number
 * before them. A 0 may have the rounding error of the sums that gave it. */
static bool is_right(double right, double found)
{
    double error = right == rint(right) ? 0 : 0.01 * fabs((double)right);
    return fabs((double)found - right) <= error + 1e-9;
}

/* An answer in words: whoever has read it has written its points. */
static int points_given(const Grading *g, int row, int column, int most)
{
    double x = column < 0 ? (double)NAN : g->csv.x[row * g->csv.columns + column];
    if (!isnan(x) && !(x >= 0 && x <= most && x == rint(x)))
        tensor_fail("%s: student %s, column %s: found %g; expected the points that you give for an "
                    "answer in words, 0 to %d",
                    g->path, g->csv.row[row], g->csv.column[column], x, most);
    return tensor_failed() || isnan(x) ? 0 : (int)x;
}

static bool take_student(Grading *g, int row, int sheet, FILE *out)
{
    const Csv *key = &g->key;
    const double *x = g->csv.x + row * g->csv.columns;
    int points[KINDS_MOST], questions = 0, total = 0, of = 0, own = 0, all = 0, words = 0;
    bool right = false; /* the question's last number */
    if (!take_key(g, row, x, sheet))
        return false;
    for (int k = 0; k < key->rows && questions < KINDS_MOST; k++) {
        int c = index_of(g->csv.column, g->csv.columns, key->row[k]);
        const int most = (int)key->x[2 * k + 1];
        of += most;
        if (isnan(key->x[2 * k])) {
            words += points_given(g, row, c, most);
        } else {
            right = c >= 0 && is_right(key->x[2 * k], x[c]);
            all += most;
            own += right ? most : 0;
        }
        if (k + 1 == key->rows || atoi(key->row[k + 1]) != atoi(key->row[k])) {
            total += points[questions++] =
                words + (right ? all : own); /* the last counts for all */
            all = own = words = 0;
        }
    }
    if (tensor_failed())
        return false;
    fputc('"', out);
    for (const char *c = g->csv.row[row]; *c; c++)
        fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(out, "\",%.0f,%d,%d", (double)x[sheet], total, of);
    for (int i = 0; i < questions; i++)
        fprintf(out, ",%d", points[i]);
    fputs("\n", out);
    g->percent += 100.0 * total / of;
    return true;
}

bool grade_class(const char *path, const char *folder)
{
    Grading g = {.path = path, .folder = folder};
    char grades[EXAM_PATH + 16];
    snprintf(grades, sizeof grades, "%s/grades.csv", folder);
    bool ok = csv_read_answers(&g.csv, path);
    int sheet = ok && g.csv.column ? index_of(g.csv.column, g.csv.columns, "sheet") : -1;
    if (ok && (!g.csv.row || sheet < 0))
        ok =
            tensor_fail("%s: found no names of students, or no column sheet; expected a first line "
                        "student,sheet,1a,1b,... and names with a letter",
                        path);
    AtomicFile *file = ok ? tensor_file_open(grades) : NULL;
    ok = file && fputs("student,sheet,points,of,questions\n", tensor_file_stream(file)) >= 0;
    for (int i = 0; ok && i < g.csv.rows; i++)
        ok = take_student(&g, i, sheet, tensor_file_stream(file));
    if (!ok)
        tensor_file_discard(file);
    else if ((ok = tensor_file_commit(file)))
        printf("%s: %d students; mean %.0f %%\n", grades, g.csv.rows, g.percent / g.csv.rows);
    csv_free(&g.key);
    csv_free(&g.csv);
    return ok;
}
