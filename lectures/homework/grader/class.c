/* class.c: how a class did: a histogram of the points, and for each test the share that passed, the
 * hardest first. As lines of text and as a picture (SVG, 16:9). Only the last attempt of each
 * student counts. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 10, TESTS_SHOWN = 14 };

typedef struct {
    int test, asked, passed;
} Rate;

typedef struct {
    int counted, bin[BINS], most; /* most: in one bin */
    double median;
    int tests;
    Rate rate[TESTS_MAX];
} Class;

/* The hardest test first; among equals, the homework's order. */
static int by_rate(const void *left, const void *right)
{
    const Rate *l = left, *r = right;
    long gap = (long)l->passed * r->asked - (long)r->passed * l->asked;
    return gap ? (gap > 0) - (gap < 0) : l->test - r->test;
}

static bool is_counted(const Row *r)
{
    return r->there && r->counts && r->max_score > 0;
}

static void count_tests(const Assignment *a, const Row *row, int count, Class *c)
{
    for (int t = 0; t < a->count; t++) {
        Rate rate = {.test = t};
        for (int i = 0; i < count; i++) {
            bool asked =
                is_counted(&row[i]) && t < (int)strlen(row[i].state) && row[i].state[t] != '-';
            rate.asked += asked;
            rate.passed += asked && row[i].state[t] == 'p';
        }
        if (rate.asked)
            c->rate[c->tests++] = rate;
    }
    qsort(c->rate, (size_t)c->tests, sizeof *c->rate, by_rate);
}

static Class count_class(const Assignment *a, const Row *row, int count)
{
    Class c = {.counted = 0};
    double *share = memory((size_t)count, sizeof *share);
    for (int i = 0; i < count; i++) {
        if (!is_counted(&row[i]))
            continue;
        double s = row[i].score / row[i].max_score;
        int bin = (int)(s * BINS);
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        c.bin[bin]++;
        c.most = c.bin[bin] > c.most ? c.bin[bin] : c.most;
        share[c.counted++] = s;
    }
    qsort(share, (size_t)c.counted, sizeof *share, by_value);
    if (c.counted)
        c.median = 50 * (share[(c.counted - 1) / 2] + share[c.counted / 2]);
    free(share);
    count_tests(a, row, count, &c);
    return c;
}

/* ---- words ----------------------------------------------------------------------------------- */

void class_words(const Assignment *a, const Row *row, int count, Text *to)
{
    Class c = count_class(a, row, count);
    char label[32];
    text_print(to, "\nhow many reached how much of the points (median %.0f %%)\n", c.median);
    for (int i = BINS - 1; i >= 0; i--) {
        snprintf(label, sizeof label, "%3d to %3d %%", i * 100 / BINS, (i + 1) * 100 / BINS);
        put_bar(to, label, c.bin[i], c.most);
    }
    text_put(to, "\nhow many passed each test, the hardest first\n");
    for (int i = 0; i < c.tests; i++)
        put_bar(to, a->test[c.rate[i].test].name, c.rate[i].passed, c.rate[i].asked);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void put_histogram(const Class *c, Text *to)
{
    double left = 50, bottom = SVG_HEIGHT - 70, height = bottom - 130, step = 38;
    char words[32];
    put_svg_text(to, left, 96, "font-size=\"17\"", "students by share of the points");
    for (int i = 0; i < BINS; i++) {
        double bar = c->most ? height * c->bin[i] / c->most : 0, x = left + step * i;
        put_svg_bar(to, x + 3, bottom - bar, step - 6, bar, "#0072b2");
        snprintf(words, sizeof words, "%d", c->bin[i]);
        if (c->bin[i])
            put_svg_text(to, x + step / 2, bottom - bar - 6,
                         "text-anchor=\"middle\" font-size=\"15\"", words);
    }
    text_print(to, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"black\"/>\n", left, bottom,
               left + step * BINS);
    for (int i = 0; i <= BINS; i += 2) {
        snprintf(words, sizeof words, "%d %%", i * 100 / BINS);
        put_svg_text(to, left + step * i, bottom + 22, "text-anchor=\"middle\" font-size=\"15\"",
                     words);
    }
}

static void put_tests(const Assignment *a, const Class *c, Text *to)
{
    int shown = c->tests < TESTS_SHOWN ? c->tests : TESTS_SHOWN;
    double left = 700, top = 116, span = 190, step = (SVG_HEIGHT - top - 48) / (shown ? shown : 1);
    char words[64];
    step = step > 34 ? 34 : step;
    snprintf(words, sizeof words, "share that passed each test%s",
             shown < c->tests ? ", the hardest" : "");
    put_svg_text(to, 500, 96, "font-size=\"17\"", words);
    for (int i = 0; i < shown; i++) {
        double y = top + step * i, share = (double)c->rate[i].passed / c->rate[i].asked;
        put_svg_text(to, left - 8, y + 0.66 * step, "text-anchor=\"end\" font-size=\"15\"",
                     a->test[c->rate[i].test].name);
        put_svg_bar(to, left, y + 0.15 * step, span, 0.7 * step, "#e6e6e6");
        put_svg_bar(to, left, y + 0.15 * step, span * share, 0.7 * step, "#0072b2");
        snprintf(words, sizeof words, "%.0f %%", 100 * share);
        put_svg_text(to, left + span + 6, y + 0.66 * step, "font-size=\"15\"", words);
    }
}

void class_picture(const Assignment *a, const Row *row, int count, Text *to)
{
    Class c = count_class(a, row, count);
    char words[200];
    snprintf(words, sizeof words, "%.120s: %d students, median %.0f %% of the points", a->title,
             c.counted, c.median);
    put_svg_begin(to, words);
    put_histogram(&c, to);
    put_tests(a, &c, to);
    text_put(to, "</svg>\n");
}
