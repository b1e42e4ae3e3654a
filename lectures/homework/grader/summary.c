/* summary.c: a summary of a class for its instructor: the grades as CSV, and the charts of class.c
 * in words and as pictures. */
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

/* A test that was not asked for has an empty field. */
static void put_points(const Assignment *a, const Row *r, Text *to)
{
    for (int t = 0; t < a->count; t++) {
        bool known = r->there && t < (int)strlen(r->state) && r->state[t] != '-';
        if (known)
            text_print(to, ",%d", r->state[t] == 'p' ? a->test[t].points : 0);
        else
            text_put(to, ",");
    }
}

static void write_csv(const Assignment *a, const Row *row, int count, Text *to)
{
    text_put(to,
             "name,student,id,score,max_score,compiled,late_days,points,attempts,counts,seconds,"
             "seed");
    for (int t = 0; t < a->count; t++) {
        text_put(to, ",");
        put_field(to, a->test[t].name);
    }
    text_put(to, ",mistakes,comment\n");
    for (int i = 0; i < count; i++) {
        const Row *r = &row[i];
        put_field(to, r->name);
        text_put(to, ",");
        put_field(to, r->origin.student);
        text_put(to, ",");
        put_field(to, r->origin.id);
        if (r->there)
            text_print(to, ",%.10g,%.10g,%s,%d,%.10g,%d,%s,%.1f", r->score, r->max_score,
                       r->compiled ? "yes" : "no", r->late_days, r->points, r->attempts,
                       r->counts ? "yes" : "no", r->seconds);
        else
            text_print(to, ",,,could not be graded,%d,,%d,%s,", r->late_days, r->attempts,
                       r->counts ? "yes" : "no");
        text_print(to, ",%llu", (unsigned long long)a->overlay.seed);
        put_points(a, r, to);
        text_put(to, ",");
        put_field(to, r->there ? r->mistakes : "");
        text_put(to, ",");
        put_field(to, r->comment);
        text_put(to, "\n");
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_words(const Assignment *a, const Row *row, int count, const Chart *chart,
                        Text *to)
{
    double sum = 0;
    int graded = 0, full = 0, broken = 0;
    for (int i = 0; i < count; i++) {
        graded += row[i].there;
        sum += row[i].there ? row[i].score : 0;
        full += row[i].there && row[i].score >= row[i].max_score;
        broken += row[i].there && !row[i].compiled;
    }
    text_print(
        to, "%s: %d submissions, %.1f points on average, %d with all points, %d do not compile\n",
        a->title, count, graded ? sum / graded : 0, full, broken);
    if (graded < count)
        text_print(to, "%d could not be graded\n", count - graded);
    for (int i = 0; i < CHARTS; i++)
        chart_words(&chart[i], to);
}

void write_summary(const Assignment *a, const Row *row, int count, const char *out)
{
    char path[PATH_SIZE], title[200];
    Chart chart[CHARTS] = {{.count = 0}};
    Text csv = {0}, words = {0}, class = {0}, mistakes = {0};
    class_count(a, row, count, chart);
    write_csv(a, row, count, &csv);
    write_words(a, row, count, chart, &words);
    snprintf(title, sizeof title, "%s: %d submissions", a->title, count);
    charts_picture(title, &chart[0], 2, &class);
    charts_picture(title, &chart[2], 1, &mistakes);
    fputs(text_of(&words), stdout);
    printf("\n%s has: grades.csv, feedback.zip, summary.txt, class.svg, mistakes.svg, similar.txt, "
           "similar.csv, and .txt and .json of each submission\n",
           out);
    file_save(path_join(path, out, "grades.csv"), &csv);
    file_save(path_join(path, out, "summary.txt"), &words);
    file_save(path_join(path, out, "class.svg"), &class);
    file_save(path_join(path, out, "mistakes.svg"), &mistakes);
    for (int i = 0; i < CHARTS; i++)
        free(chart[i].bar);
}
