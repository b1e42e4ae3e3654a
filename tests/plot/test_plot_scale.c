/* test_plot_scale.c: the ranges of colours and axes, and the marks of what lies outside of them.
 * Expected ranges follow from the numbers by hand. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *script(void)
{
    return scratch_text(scratch_path("s.gp"));
}

/* The script of a 2 x 2 map with this scale. */
static const char *drawn(const double *numbers, PlotScale scale)
{
    real x[4];
    for (int i = 0; i < 4; i++)
        x[i] = (real)numbers[i];
    Tensor *map = kept(tensor_from(x, shape2(2, 2)));
    PlotHeatmap h = {.map = map, .scale = scale};
    CHECK(plot_heatmap(scratch_path("s"), &h, PLOT_SVG), "%s", tensor_error());
    return script();
}

/* Does the script set this range? */
static void has_range(const char *text, const char *range)
{
    char line[80];
    snprintf(line, sizeof line, "set cbrange [%s]", range);
    CHECK(strstr(text, line), "no %s: %.40s", line, strstr(text, "cbrange"));
}

TEST(the_range_is_that_of_the_numbers)
{
    const PlotScale numbers = {.numbers = true};
    has_range(drawn((double[]){-8, 1, 2, 6}, numbers), "-8:6");
    has_range(drawn((double[]){0.125, 1, 0.5, 0.5}, numbers), "0:1"); /* small beside 1 */
    has_range(drawn((double[]){100, 101, 100, 104}, numbers), "100:104");
    has_range(drawn((double[]){5, 5, 5, 5}, numbers), "0:5"); /* one number is a range from 0 */
    has_range(drawn((double[]){-5, -5, -5, -5}, numbers), "-5:0");
    has_range(drawn((double[]){0, 0, 0, 0}, numbers), "0:1");
    has_range(drawn((double[]){NAN, INFINITY, NAN, NAN}, numbers), "0:1");
    has_range(drawn((double[]){-8, 1, 2, 6}, (PlotScale){.numbers = true, .diverging = true}),
              "-8:8");
    CHECK(!strstr(script(), "attention weight"), "a name that nobody gave");
    CHECK_TEXT(plot_notes(), "");
}

TEST(what_is_outside_is_marked)
{
    drawn((double[]){-1, 0, 2, 3}, (PlotScale){.low = 0, .high = 1});
    CHECK_TEXT(plot_notes(), "above 1, the end of the scale: 2 of 4 numbers, which are marked\n"
                             "below 0, the beginning of the scale: 1 of 4 numbers, which are "
                             "marked\n");
    if (!plot_has_gnuplot())
        return;
    const char *svg = scratch_text(scratch_path("s.svg"));
    /* the cells, and the square beside the bar */
    CHECK(count_of(svg, "rgb(255,  32,  32)") == 2 + 1, "%d marks above",
          count_of(svg, "rgb(255,  32,  32)"));
    CHECK(count_of(svg, "rgb(  0, 208, 255)") == 1 + 1, "%d marks below",
          count_of(svg, "rgb(  0, 208, 255)"));
    CHECK(svg_texts(svg, "> 1") == 1 && svg_texts(svg, "< 0") == 1, "no explanation");
}

/* A weight that rounding made larger than 1 is none outside. */
TEST(rounding_is_not_outside)
{
    drawn((double[]){0, 1.0000002, 0.5, 0.5}, (PlotScale){0});
    CHECK_TEXT(plot_notes(), "");
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* The range and the numbers of a logarithmic y axis; the margin is (high / low)^0.04. */
static const char *axis_of(const double *y, int count)
{
    PlotSeries s = {.y = y, .count = count};
    CHECK(plot_curves(scratch_path("s"), &(PlotCurves){.series = &s, .count = 1, .log_y = true},
                      PLOT_SVG),
          "%s", tensor_error());
    return script();
}

static void check_axis(const double *y, int count, const char *tics)
{
    const char *text = axis_of(y, count), *range = strstr(text, "set yrange [");
    double low = 0, high = 0;
    REQUIRE(range && sscanf(range, "set yrange [%lf:%lf]", &low, &high) == 2, "no range");
    double least = y[0], most = y[count - 1], margin = pow(most / least, 0.04);
    CHECK(fabs(low * margin / least - 1) < 1e-6 && fabs(high / margin / most - 1) < 1e-6,
          "%g to %g for %g to %g", low, high, least, most);
    CHECK(strstr(text, tics), "no %s: %.80s", tics, strstr(text, "set ytics"));
}

TEST(a_logarithmic_axis_ends_near_the_numbers)
{
    check_axis((double[]){0.11, 1.9}, 2, "set ytics (0.1, 0.2, 0.5, 1, 2)");
    check_axis((double[]){2.1, 3}, 2, "set ytics (2.2, 2.4, 2.6, 2.8, 3)");
    check_axis((double[]){1, 1e5}, 2, "set ytics (1, 10, 100, 1000, 10000, 100000)");
}

TEST(numbers_that_an_axis_lacks_are_marked)
{
    double y[] = {1, 0, 5, NAN, -1, 2};
    axis_of(y, 6);
    CHECK(strstr(plot_notes(), "2 numbers, which triangles at its ends mark"), "%s", plot_notes());
    CHECK(strstr(plot_notes(), "not finite: 1 numbers, which leave gaps"), "%s", plot_notes());
    PlotSeries s = {.y = y, .count = 6};
    PlotCurves c = {.series = &s, .count = 1, .y_low = 0, .y_high = 4};
    CHECK(plot_curves(scratch_path("s"), &c, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(plot_notes(), "outside of the y axis, 0 to 4: 2 numbers"), "%s", plot_notes());
    /* index 1 are the triangles at the upper end, 2 those at the lower */
    CHECK(strstr(scratch_text(scratch_path("s.tsv")), "nan\tnan\n2\t4\n\n\nnan\tnan\n4\t0\n"), "%s",
          scratch_text(scratch_path("s.tsv")));
}
