/* class.c: how a class did, in three charts: the students by their share of the points, the tests
 * by how many passed them, the hardest first, and the mistakes by how often they were named. In the
 * first two only the last attempt of each student counts. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 10 };

/* ---- counting -------------------------------------------------------------------------------- */

static bool is_counted(const Row *r)
{
    return r->there && r->counts && r->compiled != NOTHING && r->max_score > 0;
}

static void add_bar(Chart *c, const char *label, int count, int of)
{
    c->bar = memory_grown(c->bar, (size_t)c->count + 1, sizeof *c->bar);
    c->bar[c->count] = (Bar){.count = count, .of = of, .place = c->count};
    snprintf(c->bar[c->count++].label, sizeof c->bar->label, "%s", label);
}

/* The whole length stands for the largest count. */
static void scale_bars(Chart *c)
{
    int most = 1;
    for (int i = 0; i < c->count; i++)
        most = c->bar[i].count > most ? c->bar[i].count : most;
    for (int i = 0; i < c->count; i++)
        c->bar[i].of = most;
}

static double median(double *share, int count)
{
    qsort(share, (size_t)count, sizeof *share, by_value);
    return count ? 50 * (share[(count - 1) / 2] + share[count / 2]) : 0;
}

static void count_points(Chart *c, const Row *row, int count)
{
    double *share = memory((size_t)count, sizeof *share);
    int counted = 0, bin[BINS] = {0};
    char label[32];
    for (int i = 0; i < count; i++) {
        if (!is_counted(&row[i]))
            continue;
        double s = row[i].score / row[i].max_score;
        share[counted++] = s;
        bin[s <= 0 ? 0 : s >= 1 ? BINS - 1 : (int)(s * BINS)]++;
    }
    snprintf(c->title, sizeof c->title, "how many reached how much of the points (median %.0f %%)",
             median(share, counted));
    for (int i = BINS - 1; i >= 0; i--) {
        snprintf(label, sizeof label, "%3d to %3d %%", i * 100 / BINS, (i + 1) * 100 / BINS);
        add_bar(c, label, bin[i], 0);
    }
    scale_bars(c);
    free(share);
}

/* The hardest test first; among equals, the homework's order. */
static int by_rate(const void *left, const void *right)
{
    const Bar *l = left, *r = right;
    long gap = (long)l->count * r->of - (long)r->count * l->of;
    return gap ? (gap > 0) - (gap < 0) : l->place - r->place;
}

static void count_tests(Chart *c, const Assignment *a, const Row *row, int count)
{
    snprintf(c->title, sizeof c->title, "how many passed each test, the hardest first");
    for (int t = 0; t < a->count; t++) {
        int asked = 0, passed = 0;
        for (int i = 0; i < count; i++) {
            bool known =
                is_counted(&row[i]) && t < (int)strlen(row[i].state) && row[i].state[t] != '-';
            asked += known;
            passed += known && strchr("pl", row[i].state[t]);
        }
        if (asked)
            add_bar(c, a->test[t].name, passed, asked);
    }
    if (c->count)
        qsort(c->bar, (size_t)c->count, sizeof *c->bar, by_rate);
}

static int by_count(const void *left, const void *right)
{
    const Bar *l = left, *r = right;
    return l->count != r->count ? r->count - l->count : strcmp(l->label, r->label);
}

static void count_mistake(Chart *c, const char *id)
{
    int i = 0;
    while (i < c->count && strcmp(c->bar[i].label, id) != 0)
        i++;
    if (i == c->count)
        add_bar(c, id, 0, 0);
    c->bar[i].count++;
}

static void count_mistakes(Chart *c, const Row *row, int count)
{
    char one[64];
    snprintf(c->title, sizeof c->title, "mistakes that were named");
    for (int i = 0; i < count; i++) {
        const char *ids = row[i].there ? row[i].mistakes : "";
        for (int used = 0; sscanf(ids, "%63[^,]%n", one, &used) == 1;
             ids += used, ids += *ids == ',')
            count_mistake(c, one);
    }
    if (c->count)
        qsort(c->bar, (size_t)c->count, sizeof *c->bar, by_count);
    scale_bars(c);
}

void class_count(const Assignment *a, const Row *row, int count, Chart chart[CHARTS])
{
    count_points(&chart[0], row, count);
    count_tests(&chart[1], a, row, count);
    count_mistakes(&chart[2], row, count);
}

/* ---- words ----------------------------------------------------------------------------------- */

void chart_words(const Chart *c, Text *to)
{
    text_print(to, "\n%s\n", c->title);
    for (const Bar *b = c->bar; b < c->bar + c->count; b++) {
        text_print(to, "  %-28.60s %4d ", b->label, b->count);
        for (int i = 0; i < 40 * b->count / b->of; i++)
            text_put(to, "#");
        text_put(to, "\n");
    }
    if (!c->count)
        text_put(to, "  none\n");
}
