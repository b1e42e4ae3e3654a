/* test_plot_bars.c: several bars for each name, with a legend, and bars beyond the scale. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <string.h>

static const char *const names[] = {"one", "two"}, *const legend[] = {"first & last", "other"};
static const double values[] = {1, 2, 3, 4}; /* (2 names, 2 series) */

static PlotBars two_series(void)
{
    return (PlotBars){.names = names, .values = values, .count = 2, .series = 2, .legend = legend};
}

TEST(each_series_has_its_data)
{
    PlotBars b = two_series();
    CHECK(plot_bars(scratch_path("b"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK_TEXT(scratch_text(scratch_path("b.tsv")),
               "1\t1\tone\n2\t3\ttwo\n\n\n1\t2\tone\n2\t4\ttwo\n\n\n");
    CHECK_TEXT(plot_notes(), "");
    NEED_GNUPLOT();
    const char *svg = scratch_text(scratch_path("b.svg"));
    CHECK(well_formed(svg) && svg_texts(svg, "first & last") == 1 && svg_texts(svg, "other") == 1,
          "no legend");
    CHECK(svg_texts(svg, "one") == 1 && svg_texts(svg, "two") == 1, "not each name once");
    Spot four = svg_spot(svg, "4"), three = svg_spot(svg, "3"), two = svg_spot(svg, "2");
    CHECK(four.x > three.x && three.x > two.x && four.y > three.y && three.y > two.y,
          "3 at %g, 4 at %g", three.x, four.x);
}

TEST(a_bar_beyond_the_scale_is_said)
{
    PlotBars b = two_series();
    b.high = 3;
    CHECK(plot_bars(scratch_path("b"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(plot_notes(), "above 3, the end of the scale: 1 numbers"), "%s", plot_notes());
    CHECK(strstr(scratch_text(scratch_path("b.gp")), "(number > 3 ? 3 : number)"), "not cut at 3");
    b.high = 4;
    CHECK(plot_bars(scratch_path("b"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK_TEXT(plot_notes(), "");
}

TEST(names_are_thinned_and_said)
{
    const char *many[64];
    double ones[64];
    for (int i = 0; i < 64; i++) {
        many[i] = "name";
        ones[i] = 1;
    }
    PlotBars b = {.names = many, .values = ones, .count = 64};
    CHECK(plot_bars(scratch_path("b"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(plot_notes(), "of the names every 2nd is drawn"), "%s", plot_notes());
    CHECK(strstr(plot_notes(), "the numbers beside the bars are left out"), "%s", plot_notes());
}

/* From -1 to 3: 0 lies at a quarter. The number of a bar below 0 is written where that of 0 is. */
TEST(bars_below_0_end_where_those_above_begin)
{
    static const double signs[] = {-1, 3, 0, 1};
    static const char *const four[] = {"a", "b", "c", "d"};
    PlotBars b = {.names = four, .values = signs, .count = 4};
    CHECK(plot_bars(scratch_path("s"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK_TEXT(plot_notes(), "");
    NEED_GNUPLOT();
    const char *svg = scratch_text(scratch_path("s.svg"));
    const Spot minus = svg_spot(svg, "-1"), zero = svg_spot(svg, "0"), one = svg_spot(svg, "1"),
               three = svg_spot(svg, "3"), name = svg_spot(svg, "a");
    const double unit = one.x - zero.x;
    CHECK(minus.x == zero.x && unit > 0, "-1 at %g, 0 at %g", minus.x, zero.x);
    CHECK(three.x - zero.x > 2.98 * unit && three.x - zero.x < 3.02 * unit, "3 at %g", three.x);
    /* the name ends 10 points before the bar of -1 begins, and a number is 8 points from its bar */
    CHECK(zero.x - name.x > unit && zero.x - name.x < unit + 40, "a at %g", name.x);
}

TEST(bad_series)
{
    PlotBars b = two_series();
    b.series = 8;
    REFUSES(plot_bars, "8 series", scratch_path("b"), &b, 1, NULL, PLOT_SVG);
    b = two_series();
    b.high = -1;
    REFUSES(plot_bars, "a scale to -1", scratch_path("b"), &b, 1, NULL, PLOT_SVG);
}
