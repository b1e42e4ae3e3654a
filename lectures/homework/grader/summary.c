/* summary.c: a summary of a class for its instructor: the grades as CSV, and the charts of class.c
 * in words. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV (RFC 4180) -------------------------------------------------------------------------- */

void put_field(Text *to, const char *words)
{
    bool formula = *words && strchr("=+-@", *words); /* a spreadsheet would compute it */
    if (!formula && !strpbrk(words, ",\"\r\n")) {
        text_put(to, words);
        return;
    }
    text_put(to, formula ? "\"'" : "\"");
    for (; *words; words++)
        text_add(to, *words == '"' ? "\"\"" : words, *words == '"' ? 2 : 1);
    text_put(to, "\"");
}

const char *shown_name(const Row *r, char name[512])
{
    const char *student = r->origin.student;
    snprintf(name, 512, student[0] ? "%.159s (%s)" : "%.0s%s", student, r->name);
    return name;
}

/* A test that was not asked for has an empty field. */
static void put_points(const Assignment *a, const Row *r, Text *to)
{
    for (int t = 0; t < a->count; t++) {
        bool known = r->there && t < (int)strlen(r->state) && r->state[t] != '-';
        int points = a->test[t].points, leak = points < LEAK_POINTS ? points : LEAK_POINTS;
        if (known)
            text_print(to, ",%d",
                       r->state[t] == 'p'   ? points
                       : r->state[t] == 'l' ? points - leak
                                            : 0);
        else
            text_put(to, ",");
    }
}

/* How far the text came; the table says "no" of what a compiler refuses alone. */
static const char *const compiled_words[] = {"no", "yes", "no C file", "nothing handed in"};

static void write_csv(const Assignment *a, const Row *row, int count, Text *to)
{
    text_put(to,
             "name,student,id,score,max_score,compiled,late_days,points,attempts,counts,seconds,"
             "seed,solution_percent");
    for (int t = 0; t < a->count; t++) {
        text_put(to, ",");
        put_field(to, a->test[t].name);
    }
    text_put(to, ",mistakes,comment,note\n");
    for (int i = 0; i < count; i++) {
        const Row *r = &row[i];
        put_field(to, r->name);
        text_put(to, ",");
        put_field(to, r->origin.student);
        text_put(to, ",");
        put_field(to, r->origin.id);
        if (r->there)
            text_print(to, ",%.10g,%.10g,%s,%d,%.10g,%d,%s,%.1f", r->score, r->max_score,
                       compiled_words[r->compiled], r->late_days, r->points, r->attempts,
                       r->counts ? "yes" : "no", r->seconds);
        else
            text_print(to, ",,,could not be graded,%d,,%d,%s,", r->late_days, r->attempts,
                       r->counts ? "yes" : "no");
        text_print(to, "," SEED_FORMAT, (unsigned long long)a->overlay.seed);
        text_print(to, r->from_solution >= 0 ? ",%d" : ",", r->from_solution);
        put_points(a, r, to);
        text_put(to, ",");
        put_field(to, r->there ? r->mistakes : "");
        text_put(to, ",");
        put_field(to, r->comment);
        text_put(to, ",");
        put_field(to, r->note);
        text_put(to, "\n");
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_words(const Assignment *a, const Row *row, int count, const Chart *chart,
                        const ClassOptions *class, Text *to)
{
    double sum = 0;
    int graded = 0, full = 0, state[NOTHING + 1] = {0};
    for (int i = 0; i < count; i++) {
        if (row[i].there)
            state[row[i].compiled]++;
        if (!row[i].there || row[i].compiled == NOTHING)
            continue;
        graded++;
        sum += row[i].score;
        full += row[i].score >= row[i].max_score;
    }
    text_print(to,
               "%s: %d submissions, %.1f points on average, %d with all points, %d do not compile, "
               "%d have no C file\n",
               a->title, count - state[NOTHING], graded ? sum / graded : 0, full,
               state[NOT_COMPILED], state[NO_C_FILE]);
    if (class->roster)
        text_print(to, "%d of the roster handed in nothing\n", state[NOTHING]);
    if (graded + state[NOTHING] < count)
        text_print(to, "%d could not be graded\n", count - graded - state[NOTHING]);
    if (class->due)
        text_print(to, "late: after %s\n", class->due_words);
    for (int i = 0; i < CHARTS; i++)
        chart_words(&chart[i], to);
}

void write_summary(const Assignment *a, const Row *row, int count, const char *out,
                   const ClassOptions *options)
{
    static const char *const files[] = {"grades.csv",  "moodle.csv",   "canvas.csv",
                                        "by_hand.csv", "feedback.zip", "summary.txt",
                                        "similar.txt", "similar.csv"};
    char path[PATH_SIZE];
    Chart chart[CHARTS] = {{.count = 0}};
    Text csv = {0}, words = {0};
    class_count(a, row, count, chart);
    write_csv(a, row, count, &csv);
    write_words(a, row, count, chart, options, &words);
    fputs(text_of(&words), stdout);
    file_save(path_join(path, out, "grades.csv"), &csv);
    file_save(path_join(path, out, "summary.txt"), &words);
    printf("\n%s has: ", out);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (file_exists(path_join(path, out, files[i])))
            printf("%s, ", files[i]);
    printf("and .txt and .json of each submission\n");
    for (int i = 0; i < CHARTS; i++)
        free(chart[i].bar);
}
