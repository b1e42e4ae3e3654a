/* summary.c: a summary of a class for its instructor: the grades as CSV, and in how many
 * submissions each mistake was named, in words and as a picture (SVG, 16:9). class.c adds the
 * histogram and the tests. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MAX = 14 };

typedef struct {
    char id[64];
    int count;
} Tally;

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
             "name,student,id,score,max_score,compiled,late_days,points,attempts,counts,seconds");
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
        put_points(a, r, to);
        text_put(to, ",");
        put_field(to, r->there ? r->mistakes : "");
        text_put(to, ",");
        put_field(to, r->comment);
        text_put(to, "\n");
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

static int by_count(const void *left, const void *right)
{
    const Tally *l = left, *r = right;
    return l->count != r->count ? r->count - l->count : strcmp(l->id, r->id);
}

static void count_one(Tally **tally, int *kinds, const char *id)
{
    for (int i = 0; i < *kinds; i++)
        if (strcmp((*tally)[i].id, id) == 0) {
            (*tally)[i].count++;
            return;
        }
    *tally = memory_grown(*tally, (size_t)*kinds + 1, sizeof **tally);
    (*tally)[*kinds] = (Tally){.count = 1};
    snprintf((*tally)[(*kinds)++].id, sizeof(*tally)->id, "%s", id);
}

static Tally *count_mistakes(const Row *row, int count, int *kinds)
{
    Tally *tally = NULL;
    char one[64];
    *kinds = 0;
    for (int i = 0; i < count; i++) {
        const char *ids = row[i].there ? row[i].mistakes : "";
        for (int used = 0; sscanf(ids, "%63[^,]%n", one, &used) == 1;
             ids += used, ids += *ids == ',')
            count_one(&tally, kinds, one);
    }
    if (*kinds)
        qsort(tally, (size_t)*kinds, sizeof *tally, by_count);
    return tally;
}

/* ---- words ----------------------------------------------------------------------------------- */

void put_bar(Text *to, const char *label, int count, int most)
{
    text_print(to, "  %-28.60s %4d ", label, count);
    for (int i = 0; i < 40 * count / (most ? most : 1); i++)
        text_put(to, "#");
    text_put(to, "\n");
}

static void write_words(const Assignment *a, const Row *row, int count, const Tally *tally,
                        int kinds, Text *to)
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
    class_words(a, row, count, to);
    text_put(to, "\nmistakes that were named\n");
    for (int i = 0; i < kinds; i++)
        put_bar(to, tally[i].id, tally[i].count, tally[0].count);
    if (!kinds)
        text_put(to, "  none\n");
}

/* ---- the picture ----------------------------------------------------------------------------- */

void put_svg_text(Text *to, double x, double y, const char *how, const char *words)
{
    text_print(to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    put_xml(to, words);
    text_put(to, "</text>\n");
}

void put_svg_begin(Text *to, const char *title)
{
    text_print(to,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
               "font-family=\"sans-serif\" font-size=\"17\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
               SVG_WIDTH, SVG_HEIGHT);
    put_svg_text(to, SVG_WIDTH / 2.0, 42, "text-anchor=\"middle\" font-size=\"24\"", title);
}

void put_svg_bar(Text *to, double x, double y, double width, double height, const char *fill)
{
    text_print(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
               y, width, height, fill);
}

static void write_picture(const Assignment *a, int submissions, const Tally *tally, int kinds,
                          Text *to)
{
    int bars = kinds < BARS_MAX ? kinds : BARS_MAX;
    double top = 80, left = 300, span = SVG_WIDTH - left - 80,
           step = (SVG_HEIGHT - top - 30) / (bars ? bars : 1);
    char words[200];
    step = step > 44 ? 44 : step;
    snprintf(words, sizeof words, "%s: mistakes in %d submissions", a->title, submissions);
    put_svg_begin(to, words);
    snprintf(words, sizeof words, "the %d most frequent of %d", bars, kinds);
    if (bars < kinds)
        put_svg_text(to, SVG_WIDTH / 2.0, 66, "text-anchor=\"middle\"", words);
    for (int i = 0; i < bars; i++) {
        double y = top + step * i, width = span * tally[i].count / tally[0].count;
        put_svg_text(to, left - 12, y + 0.62 * step, "text-anchor=\"end\"", tally[i].id);
        put_svg_bar(to, left, y + 0.14 * step, width, 0.72 * step, "#3b75af");
        snprintf(words, sizeof words, "%d", tally[i].count);
        put_svg_text(to, left + width + 8, y + 0.62 * step, "", words);
    }
    if (!bars)
        put_svg_text(to, SVG_WIDTH / 2.0, SVG_HEIGHT / 2.0, "text-anchor=\"middle\"",
                     "none was named");
    text_put(to, "</svg>\n");
}

void write_summary(const Assignment *a, const Row *row, int count, const char *out)
{
    int kinds;
    char path[PATH_SIZE];
    Tally *tally = count_mistakes(row, count, &kinds);
    Text csv = {0}, words = {0}, picture = {0}, class = {0};
    write_csv(a, row, count, &csv);
    write_words(a, row, count, tally, kinds, &words);
    write_picture(a, count, tally, kinds, &picture);
    class_picture(a, row, count, &class);
    fputs(text_of(&words), stdout);
    printf("\n%s has: grades.csv, feedback.zip, summary.txt, class.svg, mistakes.svg, similar.txt, "
           "similar.csv, and .txt and .json of each submission\n",
           out);
    file_save(path_join(path, out, "grades.csv"), &csv);
    file_save(path_join(path, out, "summary.txt"), &words);
    file_save(path_join(path, out, "mistakes.svg"), &picture);
    file_save(path_join(path, out, "class.svg"), &class);
    free(tally);
}
