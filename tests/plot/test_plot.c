/* test_plot.c: pictures with gnuplot, read from their files as another program would read them.
 * test_plot_files.c tests how the files are written, test_plot_labels.c tests texts. */
#define _GNU_SOURCE
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include "autograd/autograd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 12 };

static const char *const words[WORDS] = {"The",    "animal",  "did", "n't", "cross", "the",
                                         "street", "because", "it",  "was", "too",   "tired"};

/* ---- what is drawn --------------------------------------------------------------------------- */

/* The rectangles of a picture: those of the cells, and a constant number for the colour bar. */
static int rectangles(int64_t rows, int64_t columns)
{
    Tensor *map = map_of(rows, columns);
    PlotHeatmap h = {.map = map};
    CHECK(plot_heatmap(scratch_path("size"), &h, PLOT_SVG | PLOT_PNG), "%s", tensor_error());
    return count_of(scratch_text(scratch_path("size.svg")), "<polygon");
}

TEST(every_cell_is_drawn_down_to_one)
{
    NEED_GNUPLOT();
    static const int64_t size[][2] = {{1, 2}, {1, 12}, {2, 1}, {12, 1}, {3, 5}, {70, 1}, {1, 300}};
    int one = rectangles(1, 1);
    for (int i = 0; i < 7; i++) {
        int n = rectangles(size[i][0], size[i][1]);
        CHECK(n - one == size[i][0] * size[i][1] - 1, "%d x %d: %d cells", (int)size[i][0],
              (int)size[i][1], n - one + 1);
    }
}

TEST(cells_without_a_number_are_grey)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(3, 3);
    map->data[4] = (real)NAN;
    map->data[5] = (real)-INFINITY;
    PlotHeatmap h = {.map = map, .values = true};
    CHECK(plot_heatmap(scratch_path("grey"), &h, PLOT_SVG), "%s", tensor_error());
    int n =
        count_of(scratch_text(scratch_path("grey.svg")), "<polygon fill = 'rgb(176, 176, 176)'");
    CHECK(n == 2, "%d grey cells", n);
    CHECK(!strcasestr(scratch_text(scratch_path("grey.svg")), ">nan<"), "a grey cell has a value");
}

/* The palette's ends by hand: viridis #440154 and #fde725; RdBu #053061 and #67001f. */
TEST(the_scale_is_fixed)
{
    NEED_GNUPLOT();
    real x[] = {0, 1, (real)0.5, 2}, g[] = {-3, 3, 0, 1};
    Tensor *map = kept(tensor_from(x, shape2(2, 2)));
    map->grad = g;
    PlotHeatmap h = {.map = map, .values = true};
    const char *svg = drawn_file("scale.svg", plot_heatmap(scratch_path("scale"), &h, PLOT_SVG));
    CHECK(strstr(svg, "rgb( 68,   1,  84)") && strstr(svg, "rgb(253, 231,  37)"), "not viridis");
    CHECK(svg_texts(svg, "0.50") == 1 && svg_texts(svg, "attention weight") == 1,
          "no value, no name");
    h.gradient = true;
    svg = drawn_file("scale.svg", plot_heatmap(scratch_path("scale"), &h, PLOT_SVG));
    CHECK(strstr(svg, "rgb(  5,  48,  97)") && strstr(svg, "rgb(103,   0,  31)"), "not RdBu");
    CHECK(svg_texts(svg, "-3.00") == 1 && svg_texts(svg, "dL/dA") == 1, "no value, no name");
    CHECK(strstr(scratch_text(scratch_path("scale.gp")), "set cbrange [-3:3]"), "not symmetric");
    map->grad = NULL;
}

/* Numbers as long as -0.0005 push the bar's name outwards; half of its 16 points must still fit. */
TEST(long_numbers_leave_space_for_the_name)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(12, 12);
    real g[144];
    for (int i = 0; i < 144; i++)
        g[i] = (real)(2.3e-3 * sin(i));
    map->grad = g;
    PlotHeatmap h[2] = {{.map = map, .gradient = true}, {.map = map, .gradient = true}};
    CHECK(plot_heatmaps(scratch_path("long"), h, 2, "title", PLOT_SVG), "%s", tensor_error());
    double x = svg_spot(scratch_text(scratch_path("long.svg")), "dL/dA").x;
    CHECK(x > 0 && x < 1280 - 8, "the name stands at %g of 1280", x);
    map->grad = NULL;
}

/* The y of every text that ends at the map's left edge, from top to bottom, and its font. */
static void row_labels_do_not_touch(const char *svg, int rows)
{
    double before = -100;
    int n = 0;
    for (const char *p = svg; (p = strstr(p, "translate(")); p++) {
        double x, y, font;
        const char *size = strstr(p, "font-size=\""), *end = strchr(p, '>');
        if (sscanf(p, "translate(%lf,%lf)", &x, &y) != 2 || !size || size > end ||
            sscanf(size, "font-size=\"%lf", &font) != 1 ||
            !memmem(p, (size_t)(end - p), "\"end\"", 5) ||
            memmem(p, (size_t)(end - p), "rotate", 6))
            continue;
        /* at a distance of 1 font height, capitals and descenders of neighbouring lines do not
         * touch */
        CHECK(n == 0 || y - before >= font, "%d rows: label %d is %g below, font %g", rows, n,
              y - before, font);
        CHECK(y > font / 2 && y < 720 && font >= 7, "%d rows: label at %g, font %g", rows, y, font);
        before = y;
        n++;
    }
    CHECK(n >= (rows > 20 ? 20 : rows), "%d rows: only %d labels", rows, n);
}

TEST(labels_never_touch)
{
    NEED_GNUPLOT();
    static const int sizes[] = {1, 2, 12, 30, 64, 100, 256};
    static char text[256][24];
    const char *labels[256];
    for (int i = 0; i < 256; i++) {
        snprintf(text[i], sizeof text[i], "token%d", i);
        labels[i] = text[i];
    }
    for (int i = 0; i < 7; i++) {
        Tensor *map = map_of(sizes[i], sizes[i]);
        PlotHeatmap h = {.map = map, .rows = labels, .title = "long"};
        CHECK(plot_heatmap(scratch_path("long"), &h, PLOT_SVG), "%s", tensor_error());
        row_labels_do_not_touch(scratch_text(scratch_path("long.svg")), sizes[i]);
    }
}

/* The largest labels are larger than the name beside them. */
TEST(the_rows_name_stands_clear_of_their_labels)
{
    NEED_GNUPLOT();
    const char *labels[] = {"because", "because"};
    const double ems = 8566.0 / 2048; /* DejaVu Sans: b 1300 e 1260 c 1126 a 1255 u 1298 s 1067 */
    Tensor *map = map_of(2, 2);
    PlotHeatmap four[4];
    for (int k = 0; k < 4; k++)
        four[k] = (PlotHeatmap){.map = map, .rows = labels};
    const char *svg =
        drawn_file("four.svg", plot_heatmaps(scratch_path("four"), four, 4, NULL, PLOT_SVG));
    /* the first label ends at its x; the name's middle is at its own, and it is 18 high */
    double gap = svg_spot(svg, "because").x - 22 * ems - (svg_spot(svg, "query").x + 9);
    CHECK(gap >= 0.45 * 22, "the labels begin %g from the name", gap);
}

TEST(a_grid_titles_its_panels)
{
    NEED_GNUPLOT();
    Tensor *a = kept(tensor_new(shape4(2, 4, WORDS, WORDS))),
           *b = kept(tensor_new(shape4(2, 4, WORDS, WORDS)));
    const Tensor *layers[] = {a, b};
    PlotGrid g = {.layers = layers, .layer_count = 2, .item = 1, .rows = words, .title = "tired"};
    CHECK(plot_grid(scratch_path("grid"), &g, ALL), "%s", tensor_error());
    Tensor *numbers = data_array_read(scratch_path("grid.npy"), NULL);
    CHECK_TEXT(numbers ? shape_str(numbers->shape) : tensor_error(), shape_str(a->shape));
    tensor_free(numbers);
    const char *svg = scratch_text(scratch_path("grid.svg"));
    CHECK(svg_texts(svg, "layer 1, head 1") == 1 && svg_texts(svg, "layer 2, head 4") == 1,
          "no titles");
    /* at the outer edge: left of both rows of panels, below each of four columns */
    CHECK(svg_texts(svg, "animal") == 6, "'animal' stands %d times", svg_texts(svg, "animal"));
    CHECK(svg_texts(svg, "attention weight") == 1, "not one bar");
    CHECK(svg_texts(svg, "tired") == 2 + 4 + 1, "a title is missing");
}

/* The strokes of the arcs in an SVG that has no other lines. */
TEST(the_width_of_an_arc_is_its_weight)
{
    NEED_GNUPLOT();
    const char *three[] = {"it", "was", "tired"};
    real weights[] = {0, (real)0.25, (real)0.75, 0, 0, 0, 0, 0, 0};
    Tensor *map = kept(tensor_from(weights, shape2(3, 3)));
    PlotArcs a = {.map = map, .words = three};
    CHECK(plot_arcs(scratch_path("arcs"), &a, 1, NULL, PLOT_SVG | PLOT_PNG), "%s", tensor_error());
    const char *p = strstr(scratch_text(scratch_path("arcs.svg")), "<g id=\"gnuplot_plot_1\"");
    double width[2] = {0, 0};
    int arcs = 0;
    /* an arc's path has the arcs' colour, its width is that of the group around it */
    for (double current = 0; p && *p; p++) {
        sscanf(p, "stroke-width=\"%lf", &current);
        if (strncmp(p, "<path stroke='rgb(  0, 114, 178)'", 33) == 0 && arcs++ < 2)
            width[arcs - 1] = current;
    }
    CHECK(arcs == 2, "%d arcs for two weights above 0", arcs);
    CHECK_CLOSE(width[1] / width[0], 3, 0.01); /* widths have two decimals */
}

TEST(curves_show_every_series)
{
    NEED_GNUPLOT();
    double y[] = {3, 2, NAN, 1, 0.5}, x[] = {1, 2, 3, 4, 5};
    PlotSeries s[] = {{"training", NULL, y, 5}, {"validation", x, y, 5}, {NULL, x, y, 5}};
    PlotCurves c = {.series = s,
                    .count = 3,
                    .title = "Loss",
                    .x_name = "step",
                    .y_name = "nats",
                    .log_y = true};
    const char *svg = drawn_file("loss.svg", plot_curves(scratch_path("loss"), &c, ALL)),
               *want[] = {"training", "validation", "Loss", "step", "nats"};
    for (int i = 0; i < 5; i++)
        CHECK(svg_texts(svg, want[i]) == 1, "'%s' is missing", want[i]);
    CHECK(well_formed(svg), "the SVG is not well formed");
    CHECK(strstr(scratch_text(scratch_path("loss.tsv")),
                 "0\t3\n1\t2\n2\tnan\n3\t1\n4\t0.5\n\n\n1\t3\n"),
          "%s", scratch_text(scratch_path("loss.tsv")));
}

/* The lengths of the bars in an SVG, whose only filled polygons they are. */
TEST(the_length_of_a_bar_is_its_number)
{
    NEED_GNUPLOT();
    const char *first[] = {"swam", "`ls` 'x'"}, *second[] = {"other"};
    const double values[] = {0.5, 0.125}, one[] = {1};
    const PlotBars groups[] = {
        {.names = first, .values = values, .count = 2, .title = "I <mask> across"},
        {.names = second, .values = one, .count = 1}};
    const char *svg =
                   drawn_file("bars.svg", plot_bars(scratch_path("bars"), groups, 2, "words", ALL)),
               *p = svg;
    double from, to, length[3] = {0};
    int bars = 0;
    for (; (p = strstr(p, "<polygon")); p++) {
        const char *points = strstr(p, "points = '");
        if (points && sscanf(points, "points = '%lf,%*f %*f,%*f %lf,", &from, &to) == 2 &&
            strstr(p, "rgb(  0, 114, 178)") && bars++ < 3)
            length[bars - 1] = fabs(to - from);
    }
    CHECK(bars == 3, "%d bars for three numbers", bars);
    CHECK_CLOSE(length[0] / length[2], 0.5,
                0.005); /* of several hundred points, a tenth is written */
    CHECK_CLOSE(length[1] / length[2], 0.125, 0.005);
    svg = scratch_text(scratch_path("bars.svg"));
    CHECK(well_formed(svg) && svg_texts(svg, "swam") == 1 && svg_texts(svg, "0.50") == 1 &&
              svg_texts(svg, "words") == 1,
          "a text is missing");
}

/* The numbers of a step that tape_reset has ended are gone. */
TEST(maps_of_an_earlier_step)
{
    Tape *tape = tape_new(1);
    const PlotHeatmap h = {.map = tape_full(tape, 1, shape2(2, 2))};
    const PlotGrid g = {.layers = &h.map, .layer_count = 1};
    tape_reset(tape);
    REFUSES(plot_heatmaps, "(2, 2) is of an earlier step", scratch_path("old"), &h, 1, NULL,
            PLOT_SVG);
    REFUSES(plot_terminal_heatmaps, "(2, 2) is of an earlier step", stderr, &h, 1, PLOT_PLAIN);
    REFUSES(plot_grid, "(2, 2) is of an earlier step", scratch_path("old"), &g, PLOT_SVG);
    tape_free(tape);
}

TEST(bad_bars)
{
    const char *name[] = {"a"}, *nameless[] = {"a", NULL};
    const double minus[] = {-(double)INFINITY}, nan[] = {NAN}, one[] = {1, 1};
    const PlotBars bad[] = {{.names = name, .values = minus, .count = 1},
                            {.names = name, .values = nan, .count = 1},
                            {.names = name, .values = minus, .count = 0},
                            {.names = NULL, .values = minus, .count = 1},
                            {.names = nameless, .values = one, .count = 2}};
    for (int i = 0; i < 5; i++) {
        const char *want = i < 2   ? "expected a finite number"
                           : i < 4 ? "expected 1 to 64"
                                   : "the name of bar 2 is NULL";
        REFUSES(plot_bars, want, scratch_path("bad"), &bad[i], 1, NULL, PLOT_SVG);
    }
    REFUSES(plot_bars, "0 groups", scratch_path("bad"), bad, 0, NULL, PLOT_SVG);
}

TEST(points_are_not_joined)
{
    NEED_GNUPLOT();
    double y[] = {3, 2, 1}, x[] = {1, 3, 2};
    PlotSeries s[10];
    for (int k = 0; k < 10; k++)
        s[k] = (PlotSeries){NULL, x, y, 3};
    PlotCurves c = {.series = s, .count = 10, .points = true};
    CHECK(plot_curves(scratch_path("points"), &c, PLOT_SVG), "%s", tensor_error());
    const char *script = scratch_text(scratch_path("points.gp"));
    CHECK(count_of(script, "with points pt 7") == 7 && count_of(script, "with points pt 9") == 3,
          "%s", script);
    CHECK(count_of(script, "lines") == 0, "%s", script);
}
