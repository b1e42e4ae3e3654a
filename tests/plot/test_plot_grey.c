/* test_plot_grey.c: maps that are pictures are drawn in greys, alone and beside maps of weights. */
#define _GNU_SOURCE
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

/* How often a picture fills with this grey. */
static int filled(const char *svg, int brightness)
{
    char fill[64];
    snprintf(fill, sizeof fill, "fill = 'rgb(%3d, %3d, %3d)'", brightness, brightness, brightness);
    return count_of(svg, fill);
}

/* By hand, between 1 and 3: 1 and less are 0, 3 and more 255, 2 is 127.5, rounded to 128, 1.5 is
 * 63.75, rounded to 64; no number is 176. */
TEST(a_picture_goes_from_black_to_white)
{
    NEED_GNUPLOT();
    real x[] = {1, 0, 3, 2, (real)1.5, (real)NAN, 4, 3};
    Tensor *map = kept(tensor_from(x, shape2(2, 4)));
    PlotHeatmap h = {.map = map, .pixels = true, .scale = {.low = 1, .high = 3, .grey = true}};
    const char *svg = drawn_file("grey.svg", plot_heatmap(scratch_path("grey"), &h, PLOT_SVG));
    static const int want[][2] = {{0, 2}, {64, 1}, {128, 1}, {176, 1}, {255, 3}};
    for (int i = 0; i < 5; i++)
        CHECK(filled(svg, want[i][0]) == want[i][1], "grey %d: %d cells for %d", want[i][0],
              filled(svg, want[i][0]), want[i][1]);
}

/* A bar would have the numbers 0, 0.2, ..., and the name of the scale. Without it the map, wide and
 * low, takes all of the page's 1280 points but two margins of 16, and the 7 that separate it from
 * its row labels. */
TEST(a_picture_has_no_bar)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(10, 60);
    PlotHeatmap h = {.map = map, .pixels = true, .scale = {.grey = true, .name = "brightness"}};
    const char *svg =
        drawn_file("bare.svg", plot_heatmap(scratch_path("bare"), &h,
                                            PLOT_SVG)); /* the rows and columns have empty labels */
    CHECK(count_of(svg, "<text>") == svg_texts(svg, ""), "a text");
    double width = 0, height = 0;
    const char *at = strstr(scratch_text(scratch_path("bare.gp")), "cell_w =");
    CHECK(at && sscanf(at, "cell_w = %lf; cell_h = %lf", &width, &height) == 2, "no cells");
    CHECK_CLOSE(width, (1280 - 2 * 16 - 7) / 60.0, 1e-3); /* the script has five digits */
    CHECK(width == height, "%g x %g", width, height);
}

/* More than 20,000 cells are a bitmap, in which no number is a grey, too. */
TEST(a_large_picture_is_a_bitmap_of_greys)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(150, 150);
    map->data[0] = (real)NAN;
    PlotHeatmap h = {.map = map, .pixels = true, .scale = {.grey = true}};
    CHECK(plot_heatmap(scratch_path("large"), &h, ALL), "%s", tensor_error());
    const char *script = scratch_text(scratch_path("large.gp"));
    CHECK(count_of(script, "with rgbimage") == 1 && !strstr(script, "palette"), "%s", script);
    CHECK(strstr(scratch_text(scratch_path("large.svg")), "<image"), "no bitmap");
}

/* The picture's brightnesses up to 9 do not change the scale of the weights, 0 to 1; viridis' ends
 * are #440154 and
 * #fde725 (test_plot.c). */
TEST(a_picture_beside_weights_has_its_own_scale)
{
    NEED_GNUPLOT();
    real x[] = {0, 9, 9, 9}, w[] = {0, 1, (real)NAN, 1};
    Tensor *picture = kept(tensor_from(x, shape2(2, 2))),
           *weights = kept(tensor_from(w, shape2(2, 2)));
    PlotHeatmap h[2] = {{.map = picture, .pixels = true, .scale = {.high = 9, .grey = true}},
                        {.map = weights, .pixels = true, .scale = {.high = 1, .name = "weight"}}};
    for (int order = 0; order < 2; order++) { /* the picture first, then last */
        const char *svg =
            drawn_file("both.svg", plot_heatmaps(scratch_path("both"), h, 2, NULL, PLOT_SVG));
        CHECK(filled(svg, 0) == 1 && filled(svg, 255) == 3 && filled(svg, 176) == 1,
              "greys: %d black, %d white, %d without a number", filled(svg, 0), filled(svg, 255),
              filled(svg, 176));
        CHECK(strstr(svg, "rgb( 68,   1,  84)") && strstr(svg, "rgb(253, 231,  37)"),
              "weights not in viridis");
        CHECK(svg_texts(svg, "weight") == 1, "no name of the scale");
        CHECK(strstr(scratch_text(scratch_path("both.gp")), "set cbrange [0:1]"), "another scale");
        PlotHeatmap first = h[0];
        h[0] = h[1];
        h[1] = first;
    }
}

/* Classes are checked in the map that has them, not in the picture beside it; diverging's largest
 * number, too. */
TEST(other_scales_ignore_the_picture)
{
    const char *legend[] = {"masked", "kept", NULL};
    real x[] = {(real)0.5, 7}, w[] = {0, 1};
    Tensor *picture = kept(tensor_from(x, shape2(1, 2))),
           *mask = kept(tensor_from(w, shape2(1, 2)));
    PlotHeatmap h[2] = {{.map = picture, .scale = {.high = 9, .grey = true}},
                        {.map = mask, .scale = {.legend = legend}}};
    CHECK(plot_heatmaps(scratch_path("mask"), h, 2, NULL, PLOT_SVG), "%s", tensor_error());
    h[1].scale = (PlotScale){.diverging = true};
    CHECK(plot_heatmaps(scratch_path("signs"), h, 2, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("signs.gp")), "set cbrange [-1:1]"), "another scale");
    h[0].scale = (PlotScale){.low = 2, .high = 1, .grey = true};
    REFUSES(plot_heatmaps, "scale from 2 to 1; expected finite numbers, low < high",
            scratch_path("bad"), h, 2, NULL, PLOT_SVG);
}

/* Of the terminal's 256 colours 16 is black, 231 white, and 232 + i the grey of brightness 8 + 10
 * i: 0.5 of 255 is 127.5, nearest to 128, which is 244. A line with the scale would follow the
 * empty line. */
TEST(a_picture_in_the_terminal)
{
    real x[] = {0, (real)0.5, 1};
    const char *label[] = {"a"};
    Tensor *map = kept(tensor_from(x, shape2(1, 3)));
    PlotHeatmap h = {.map = map, .rows = label, .pixels = true, .scale = {.grey = true}};
    FILE *out = printing();
    CHECK_TEXT(printed(plot_terminal_heatmaps(out, &h, 1, PLOT_COLOUR) &&
                       plot_terminal_heatmaps(out, &h, 1, PLOT_PLAIN)),
               "a |\033[48;5;16m  \033[0m\033[48;5;244m  \033[0m\033[48;5;231m  \033[0m|\n\n"
               "a |  ++@@|\n\n");
}
