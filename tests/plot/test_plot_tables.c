/* test_plot_tables.c: CSV, the numbers in it, and the errors of bad arguments.
 * Expected files are written by hand. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

/* ---- tables ---------------------------------------------------------------------------------- */

TEST(csv_follows_rfc_4180)
{
    const char *rows[] = {"plain", "say \"hi\", he said"},
               *columns[] = {" edge", "two\nlines", "caf\xc3\xa9"};
    real x[] = {0, (real)0.5, 1, (real)-0.25, (real)NAN, (real)1e-10};
    Tensor *map = kept(tensor_from(x, shape2(2, 3)));
    PlotHeatmap h = {.map = map, .rows = rows, .columns = columns};
    CHECK(plot_heatmap(scratch_path("a"), &h, PLOT_SVG), "%s", tensor_error());
    const char *tiny = sizeof(real) == 8 ? "1e-10" : "1.00000001e-10"; /* the nearest float */
    char want[200];
    snprintf(want, sizeof want,
             ",\" edge\",\"two\nlines\",caf\xc3\xa9\r\n"
             "plain,0,0.5,1\r\n"
             "\"say \"\"hi\"\", he said\",-0.25,nan,%s\r\n",
             tiny);
    CHECK_TEXT(scratch_text(scratch_path("a.csv")), want);
}

/* ---- which numbers --------------------------------------------------------------------------- */

/* The CSV of a 2 x 2 part, in one line. */
static const char *cells_of(const PlotHeatmap *h)
{
    static char cells[200];
    double x[4] = {0};
    CHECK(plot_heatmap(scratch_path("cells"), h, PLOT_SVG), "%s", tensor_error());
    sscanf(scratch_text(scratch_path("cells.csv")), ",1,2\r\n1,%lf,%lf\r\n2,%lf,%lf", &x[0], &x[1],
           &x[2], &x[3]);
    snprintf(cells, sizeof cells, "%g %g %g %g", x[0], x[1], x[2], x[3]);
    return cells;
}

TEST(the_right_part_of_the_right_map_is_drawn)
{
    /* element (b, h, i, j) is 1000 b + 100 h + 10 i + j, its gradient the negative */
    real x[2 * 2 * 3 * 3], g[2 * 2 * 3 * 3];
    for (int k = 0; k < 36; k++) {
        x[k] = (real)(k / 18 * 1000 + k / 9 % 2 * 100 + k / 3 % 3 * 10 + k % 3);
        g[k] = -x[k];
    }
    Tensor *map = kept(tensor_from(x, shape4(2, 2, 3, 3)));
    map->grad = g;
    PlotHeatmap h = {.map = map, .item = 1, .head = 1, .row_count = 2, .column_count = 2};
    CHECK_TEXT(cells_of(&h), "1100 1101 1110 1111");
    h.head = PLOT_MEAN;
    CHECK_TEXT(cells_of(&h), "1050 1051 1060 1061");
    h.gradient = true;
    CHECK_TEXT(cells_of(&h), "-1050 -1051 -1060 -1061");
    Tensor transposed = *map; /* the last two axes exchanged, and from column 1 on */
    transposed.stride[2] = 1, transposed.stride[3] = 3;
    transposed.data += 1, transposed.offset = 1, transposed.base = map, transposed.grad = NULL;
    transposed.shape.dim[2] = 2;
    h = (PlotHeatmap){.map = &transposed, .column_count = 2};
    CHECK_TEXT(cells_of(&h), "1 11 2 12");
    h.gradient = true; /* which is stored in its base alone */
    CHECK_TEXT(cells_of(&h), "-1 -11 -2 -12");
    map->grad = NULL;
}

/* In a locale with a decimal comma, files still have a decimal point. */
TEST(the_hosts_locale_does_not_matter)
{
    real x[] = {(real)0.5};
    Tensor *map = kept(tensor_from(x, shape2(1, 1)));
    bool set = comma_locale(LC_NUMERIC);
    CHECK(plot_heatmap(scratch_path("l"), &(PlotHeatmap){.map = map}, PLOT_SVG), "%s",
          tensor_error());
    setlocale(LC_NUMERIC, "C");
    CHECK_TEXT(scratch_text(scratch_path("l.csv")), ",1\r\n1,0.5\r\n");
    if (!set)
        SKIP("no locale with a decimal comma here");
}

/* ---- errors ---------------------------------------------------------------------------------- */

TEST(bad_maps_are_errors)
{
    Tensor *m = map_of(2, 3), *flat = kept(tensor_new(shape1(3))),
           *none = kept(tensor_new(shape2(0, 3)));
    Tensor *heads = kept(tensor_new(shape4(2, 4, 2, 2))),
           *deep = kept(tensor_new(shape5(1, 1, 1, 1, 1)));
    Tensor *long_ = kept(tensor_new(shape2(1, PLOT_LONGEST + 1)));
    const char *ok = scratch_path("bad");
    const char *one[] = {"a", NULL}, *two[] = {"a", "b", NULL};
    const char *five[] = {"a", "b", "c", "d", "e", NULL};
    const PlotHeatmap good = {.map = m};
    const struct {
        PlotHeatmap map;
        const char *error;
    } bad[] = {
        {{.map = NULL}, "map is NULL or poison"},
        {{.map = tensor_poison()}, "map is NULL or poison"},
        {{.map = flat}, "map is (3,); expected numbers (T, S), (H, T, S) or (B, H, T, S)"},
        {{.map = deep}, "map is (1, 1, 1, 1, 1)"},
        {{.map = none}, "map is (0, 3); expected at least one number"},
        {{.map = long_}, "expected at most 4096 rows and columns"},
        {{.map = heads, .item = 2}, "item is 2; expected 0 to 1"},
        {{.map = heads, .item = -1}, "item is -1"},
        {{.map = heads, .head = 4}, "head is 4; expected -1 to 3"},
        {{.map = m, .row_count = 3}, "row_count is 3; expected 0 to 2"},
        {{.map = m, .column_count = -1}, "column_count is -1; expected 0 to 3"},
        {{.map = m, .gradient = true}, "has no gradient"},
        {{.map = m, .scale = {.low = 2, .high = 1}}, "scale from 2 to 1"},
        {{.map = m, .scale = {.low = 1, .high = 1}}, "scale from 1 to 1"},
        {{.map = m, .scale = {.low = 0, .high = NAN}}, "scale from 0 to nan"},
        {{.map = m, .scale = {.high = -1, .diverging = true}}, "scale from 1 to -1"},
        {{.map = m, .scale = {.legend = one}}, "1 names in the legend; expected 2"},
        {{.map = m, .scale = {.legend = five}}, "more than 4 names in the legend"},
        {{.map = m, .scale = {.legend = two}}, "expected a whole number from 0 to 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        REFUSES(plot_heatmap, bad[i].error, ok, &bad[i].map, PLOT_PNG);
    REFUSES(plot_heatmap, "formats 0; expected PLOT_PNG", ok, &good, 0);
    REFUSES(plot_heatmap, "formats 0x8", ok, &good, 8);
    REFUSES(plot_heatmap, "stem \"(NULL)\"", NULL, &good, PLOT_PNG);
    REFUSES(plot_heatmap, "stem \"\"", "", &good, PLOT_PNG);
    REFUSES(plot_heatmap, "expected a path that ends in the picture's name", "out/", &good,
            PLOT_PNG);
    REFUSES(plot_heatmap, "stem with control character 10", "a\nb", &good, PLOT_PNG);
    CHECK(!plot_heatmap("/dev/null/x", &good, PLOT_PNG), "a folder below /dev/null");
    CHECK_ERROR("/dev/null");
    REFUSES(plot_heatmaps, "1 maps at NULL", ok, NULL, 1, NULL, PLOT_PNG);
    CHECK(!exists(scratch_path("bad.gp")), "a bad call has written a file");
}

TEST(bad_grids_arcs_and_curves_are_errors)
{
    const char *stem = scratch_path("bad"), *words[] = {"a", "b", "c"};
    Tensor *a = kept(tensor_new(shape3(2, 2, 2))), *b = kept(tensor_new(shape3(2, 2, 3)));
    const Tensor *layers[] = {a, b}, *holes[] = {a, NULL};
    REFUSES(plot_grid, "layer 2's map is (2, 2, 3), layer 1's (2, 2, 2); expected one shape", stem,
            &(PlotGrid){.layers = layers, .layer_count = 2}, PLOT_PNG);
    REFUSES(plot_grid, "map is NULL or poison", stem,
            &(PlotGrid){.layers = holes, .layer_count = 2}, PLOT_PNG);
    REFUSES(plot_grid, "2 layers at NULL", stem, &(PlotGrid){.layers = NULL, .layer_count = 2},
            PLOT_PNG);
    REFUSES(plot_arcs, "from is 2; expected a word and a row of the map, 0 to 1", stem,
            &(PlotArcs){.map = b, .words = words, .from = 2}, 1, NULL, PLOT_PNG);
    REFUSES(plot_arcs, "words is NULL", stem, &(PlotArcs){.map = a}, 1, NULL, PLOT_PNG);
    double y[] = {-1, 0}, n[] = {NAN, INFINITY};
    PlotSeries low = {"low", NULL, y, 2}, gone = {"gone", NULL, n, 2},
               none = {"none", NULL, NULL, 2};
    REFUSES(plot_curves, "nothing to draw; expected at least one finite number above 0", stem,
            &(PlotCurves){.series = &low, .count = 1, .log_y = true}, PLOT_PNG);
    REFUSES(plot_curves, "nothing to draw", stem, &(PlotCurves){.series = &gone, .count = 1},
            PLOT_PNG);
    REFUSES(plot_curves, "series 1 has 2 numbers at NULL", stem,
            &(PlotCurves){.series = &none, .count = 1}, PLOT_PNG);
    REFUSES(plot_curves, "y from 1 to -1", stem,
            &(PlotCurves){.series = &low, .count = 1, .y_low = 1, .y_high = -1}, PLOT_PNG);
    const PlotLabel nowhere = {.x = NAN, .text = "a"};
    double one[] = {1};
    PlotSeries good = {"good", NULL, one, 1};
    REFUSES(plot_curves, "label 1 is a at nan, 0", stem,
            &(PlotCurves){.series = &good, .count = 1, .labels = &nowhere, .label_count = 1},
            PLOT_PNG);
    REFUSES(plot_curves, "2 labels at NULL", stem,
            &(PlotCurves){.series = &good, .count = 1, .label_count = 2}, PLOT_PNG);
    REFUSES(plot_curves, "0 series", stem, &(PlotCurves){.count = 0}, PLOT_PNG);
}
