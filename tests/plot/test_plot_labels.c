/* test_plot_labels.c: texts in pictures are data. Every label is shown literally or sanitised, and
 * gnuplot never interprets any part of it. */
#define _GNU_SOURCE
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* These are shown literally. */
static const char *const plain[] = {"The",   "##ing",       "it's",    "_a^b{c}", "@d",
                                    "100%",  "%d%s",        "a\\b\\n", "\\",      "<&>",
                                    "naïve", "\xc4\xa0the", "$HOME",   "a;b,c"};
enum { PLAIN = sizeof plain / sizeof plain[0] };

TEST(hostile_labels_are_shown_literally)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(PLAIN, PLAIN);
    PlotHeatmap h = {.map = map,
                     .rows = plain,
                     .title = "''it's'' \"_a^b{c}\" `x` @data 100% \\n 5\" <&>'"};
    const char *svg = drawn_file("labels.svg", plot_heatmap(scratch_path("labels"), &h, ALL));
    CHECK(well_formed(svg), "the SVG is not well formed");
    for (int i = 0; i < PLAIN; i++) /* a row and a column each */
        CHECK(svg_texts(svg, plain[i]) == 2, "'%s' stands %d times", plain[i],
              svg_texts(svg, plain[i]));
    CHECK(svg_texts(svg, h.title) == 1, "the title is missing");
}

/* Texts that are not shown byte for byte, and how they are shown. */
TEST(odd_characters_are_made_harmless)
{
    NEED_GNUPLOT();
    const char *given[] = {"a\tb\nc", "say \"hi\"", "\xff\xc3(", " x", "y  ",
                           "  ",      "\x1b[1m",    "]]>",       "",   NULL};
    const char *shown[] = {"a b c",           "say \"hi\"",     "\xef\xbf\xbd\xef\xbf\xbd(",
                           "\xc2\xa0x",       "y \xc2\xa0",     "\xe2\x90\xa3\xe2\x90\xa3",
                           "\xef\xbf\xbd[1m", "]]\xe2\x80\x8b>"};
    Tensor *map = map_of(10, 10);
    PlotHeatmap h = {.map = map, .rows = given};
    const char *svg = drawn_file("odd.svg", plot_heatmap(scratch_path("odd"), &h, PLOT_SVG));
    CHECK(well_formed(svg), "the SVG is not well formed");
    for (int i = 0; i < 8; i++)
        CHECK(svg_texts(svg, shown[i]) == 2, "'%s' is not shown as '%s'", given[i], shown[i]);
}

/* In every kind of picture and every position of a text. */
TEST(nothing_in_a_text_is_executed)
{
    NEED_GNUPLOT();
    char bad[1200], end[1300];
    const char *trap = scratch_path("trap");
    snprintf(bad, sizeof bad, "`touch %s`", trap);
    snprintf(end, sizeof end, "'.system(\"touch %s\").'\n!touch %s", trap, trap);
    const char *labels[] = {bad, end};
    double y[] = {1, 2};
    Tensor *map = map_of(2, 2), *layer = kept(tensor_new(shape3(1, 2, 2)));
    const Tensor *layers[] = {layer};
    PlotHeatmap h[2] = {
        {.map = map, .rows = labels, .title = bad, .row_name = end, .column_name = bad},
        {.map = map, .rows = labels, .title = end, .scale = {.name = bad}}};
    PlotGrid g = {.layers = layers, .layer_count = 1, .rows = labels, .title = end};
    PlotArcs a = {.map = map, .words = labels, .title = bad};
    PlotSeries s[] = {{bad, NULL, y, 2}, {end, NULL, y, 2}};
    PlotCurves c = {.series = s, .count = 2, .title = end, .x_name = bad, .y_name = end};
    CHECK(plot_heatmaps(scratch_path("t1"), h, 2, bad, ALL), "%s", tensor_error());
    CHECK(plot_grid(scratch_path("t2"), &g, ALL), "%s", tensor_error());
    CHECK(plot_arcs(scratch_path("t3"), &a, 1, end, ALL), "%s", tensor_error());
    CHECK(plot_curves(scratch_path("t4"), &c, ALL), "%s", tensor_error());
    CHECK(!exists(trap), "a label was executed");
    CHECK(svg_texts(scratch_text(scratch_path("t4.svg")), bad) == 2, "%s",
          scratch_text(scratch_path("t4.svg")));
}

/* A private character, which no font has: some versions of Pango would fill the page with it. */
TEST(characters_without_a_font_do_not_reach_pango)
{
    NEED_GNUPLOT();
    const char *labels[] = {"a\xf4\x8f\xbf\xb0"
                            "b",
                            "plain"};
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map, .rows = labels};
    CHECK(plot_heatmap(scratch_path("font"), &h, ALL), "%s", tensor_error());
    if (system("fc-list >/dev/null 2>&1") != 0)
        SKIP("fc-list is not there");
    CHECK(strstr(scratch_text(scratch_path("font.tsv")), "\ta\xef\xbf\xbd"
                                                         "b\n"),
          "the character is in the PNG");
    CHECK(strstr(plot_notes(), "no font has U+10FFF0"), "%s", plot_notes());
    CHECK(svg_texts(scratch_text(scratch_path("font.svg")), labels[0]) == 2,
          "it is not in the SVG");
}

/* A mask has two colours and a legend with two names; a colour bar would promise numbers
 * between. */
TEST(a_mask_has_a_legend_and_no_bar)
{
    NEED_GNUPLOT();
    const char *legend[] = {"masked", "kept", "leaked", NULL};
    real x[] = {1, 0, 1, 2, 1, (real)NAN};
    Tensor *map = kept(tensor_from(x, shape2(2, 3)));
    PlotHeatmap h = {.map = map, .scale = {.legend = legend}};
    const char *svg = drawn_file("mask.svg", plot_heatmap(scratch_path("mask"), &h, PLOT_SVG));
    for (int i = 0; i < 3; i++)
        CHECK(svg_texts(svg, legend[i]) == 1, "'%s' stands %d times", legend[i],
              svg_texts(svg, legend[i]));
    CHECK(svg_texts(svg, "0.5") == 0 && svg_texts(svg, "attention weight") == 0, "a colour bar");
    CHECK(count_of(svg, "fill = 'rgb(  0, 114, 178)'") == 4 &&
              count_of(svg, "fill = 'rgb(213,  94,   0)'") == 2,
          "three cells of 1 and the legend's square, one of 2 and its square: %d, %d",
          count_of(svg, "fill = 'rgb(  0, 114, 178)'"),
          count_of(svg, "fill = 'rgb(213,  94,   0)'"));
}

/* The ends of each bar are in the data; a bar that cannot be drawn leaves y as it is. */
TEST(error_bars_and_labels)
{
    NEED_GNUPLOT();
    const double y[] = {3, 2, 0.5}, errors[] = {0.5, NAN, 1}, *bars[] = {errors, NULL};
    PlotSeries s[] = {{"measured", NULL, y, 3}, {"theory", NULL, y, 3}};
    const PlotLabel labels[] = {{1, 2, "Rome", false}, {2, 0.5, "x_1", true}};
    PlotCurves c = {.series = s, .count = 2, .errors = bars, .labels = labels, .label_count = 2};
    const char *svg = drawn_file("errors.svg", plot_curves(scratch_path("errors"), &c, ALL));
    CHECK(well_formed(svg) && svg_texts(svg, "Rome") == 1 && svg_texts(svg, "x_1") == 1,
          "a label is missing");
    CHECK(strstr(scratch_text(scratch_path("errors.tsv")),
                 "0\t3\t2.5\t3.5\n1\t2\tnan\tnan\n2\t0.5\t-0.5\t1.5\n\n\n0\t3\n"),
          "%s", scratch_text(scratch_path("errors.tsv")));
    CHECK(count_of(scratch_text(scratch_path("errors.gp")), "yerrorbars") == 1,
          "bars of a series without errors");
    CHECK(strstr(scratch_text(scratch_path("errors.gp")), "'x_1' at first 2,0.5 right"),
          "a label that is not left of its point");
    c.log_y = true;
    CHECK(plot_curves(scratch_path("errors"), &c, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("errors.tsv")), "2\t0.5\t0.5\t1.5\n"),
          "a bar below 0 on a log axis");
}
