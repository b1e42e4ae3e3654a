/* test_plot_look.c: sizes, themes and colours of all pictures, notes on what is left out, heads in
 * several rows. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const words[] = {"a", "b", "c"};

/* Draws one picture of most kinds at STEM 0 to 4. */
static void draw_all(unsigned formats)
{
    Tensor *map = map_of(3, 3);
    const Tensor *layers[] = {map};
    double y[] = {1, 2, 3};
    PlotHeatmap h = {.map = map, .rows = words};
    PlotGrid g = {.layers = layers, .layer_count = 1};
    PlotArcs a = {.words = words, .map = map};
    PlotBars b = {.names = words, .values = y, .count = 3};
    PlotSeries s = {.y = y, .count = 3};
    CHECK(plot_heatmap(scratch_path("0"), &h, formats) &&
              plot_grid(scratch_path("1"), &g, formats) &&
              plot_arcs(scratch_path("2"), &a, 1, NULL, formats) &&
              plot_bars(scratch_path("3"), &b, 1, NULL, formats) &&
              plot_curves(scratch_path("4"), &(PlotCurves){.series = &s, .count = 1}, formats),
          "%s", tensor_error());
}

static const char *script(int k)
{
    char name[8];
    snprintf(name, sizeof name, "%d.gp", k);
    return scratch_text(scratch_path(name));
}

TEST(every_picture_has_the_size)
{
    static const struct {
        PlotSize size;
        const char *svg, *pdf;
    } table[] = {{PLOT_SLIDE, "svg size 1280,720 ", "pdfcairo size 13.334in,7.5in "},
                 {PLOT_COLUMN, "svg size 640,480 ", "pdfcairo size 3.35in,2.513in "},
                 {PLOT_PAGE, "svg size 1240,800 ", "pdfcairo size 6.5in,4.194in "}};
    for (int i = 0; i < 3; i++) {
        CHECK(plot_set_look(&(PlotLook){.size = table[i].size}), "%s", tensor_error());
        draw_all(PLOT_SVG | PLOT_PDF);
        for (int k = 0; k < 5; k++)
            CHECK(strstr(script(k), table[i].svg) && strstr(script(k), table[i].pdf),
                  "size %d, picture %d", i, k);
    }
    plot_set_look(NULL);
}

/* Nothing dark stands on dark paper: no text and no line is black. */
TEST(the_dark_theme_has_no_black_text)
{
    plot_set_look(&(PlotLook){.theme = PLOT_DARK});
    draw_all(PLOT_SVG);
    for (int k = 0; k < 5; k++) {
        const char *text = script(k);
        CHECK(strstr(text, "background '#17171c'"), "picture %d on other paper", k);
        CHECK(!strstr(text, "#000000") && !strstr(text, "0x000000"), "black in picture %d", k);
        for (const char *at = text; (at = strstr(at, "font ',")); at++) {
            const char *end = at + strcspn(at, "\n");
            const char *colour = strstr(at, " tc rgb ");
            CHECK(colour && colour < end, "picture %d: a text without colour: %.60s", k, at);
        }
    }
    plot_set_look(NULL);
}

/* The letters of all pictures are at least so high. */
TEST(letters_can_be_read)
{
    static const double least[] = {[PLOT_SLIDE] = 14, [PLOT_COLUMN] = 15, [PLOT_PAGE] = 15};
    for (int size = PLOT_SLIDE; size <= PLOT_PAGE; size++) {
        plot_set_look(&(PlotLook){.size = (PlotSize)size});
        Tensor *map = kept(tensor_new(shape3(12, 40, 40)));
        const Tensor *layers[] = {map, map, map, map, map, map, map, map, map, map, map, map};
        PlotHeatmap h[4] = {{.map = map}, {.map = map}, {.map = map}, {.map = map}};
        PlotGrid g = {.layers = layers, .layer_count = 12};
        CHECK(plot_heatmaps(scratch_path("0"), h, 4, "four", PLOT_SVG) &&
                  plot_grid(scratch_path("1"), &g, PLOT_SVG),
              "%s", tensor_error());
        for (int k = 0; k < 2; k++)
            for (const char *at = script(k); (at = strstr(at, "font ',")); at++)
                CHECK(atof(at + 7) >= least[size], "size %d, picture %d: %.12s", size, k, at);
    }
    plot_set_look(NULL);
}

TEST(bad_looks_are_refused)
{
    REFUSES(plot_set_look, "size 3", &(PlotLook){.size = (PlotSize)3});
    CHECK(!plot_set_look(&(PlotLook){.theme = (PlotTheme)-1}), "theme -1 passed");
    tensor_clear_error();
}

TEST(a_look_chooses_formats_and_titles)
{
    NEED_GNUPLOT();
    Tensor *map = map_of(2, 2);
    PlotHeatmap two[2] = {{.map = map, .title = "left"}, {.map = map, .title = "right"}};
    CHECK(plot_set_look(&(PlotLook){.formats = PLOT_SVG, .untitled = true}), "%s", tensor_error());
    bool ok = plot_heatmaps(scratch_path("bare"), two, 2, "both", PLOT_PNG);
    CHECK(ok, "%s", tensor_error());
    const char *svg = scratch_text(scratch_path("bare.svg"));
    CHECK(svg_texts(svg, "both") == 0 && svg_texts(svg, "left") == 1, "the wrong titles");
    CHECK(access(scratch_path("bare.png"), F_OK) != 0, "a PNG");
    CHECK(plot_heatmap(scratch_path("bare"), two, PLOT_PNG), "%s", tensor_error());
    CHECK(svg_texts(scratch_text(scratch_path("bare.svg")), "left") == 0, "a title");
    REFUSES(plot_set_look, "formats 0x8; expected", &(PlotLook){.formats = 8});
    plot_set_look(NULL);
}

/* ---- notes ----------------------------------------------------------------------------------- */

TEST(notes_tell_what_is_left_out)
{
    Tensor *map = kept(tensor_new(shape2(200, 200)));
    PlotHeatmap h = {.map = map};
    CHECK(plot_heatmap(scratch_path("n"), &h, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(plot_notes(), "of the rows' labels every 5th is drawn"), "%s", plot_notes());
    h.row_count = h.column_count = 2;
    const char *const two[] = {"a label that is far longer than fourteen letters", "b"};
    h.rows = two;
    CHECK(plot_heatmap(scratch_path("n"), &h, PLOT_SVG), "%s", tensor_error());
    CHECK(strstr(scratch_text(scratch_path("n.tsv")), "\ta label that is far longer…\n"),
          "not cut at a word");
    CHECK_TEXT(plot_notes(), "texts that are too long for their space end in an ellipsis, such as "
                             "\"a label that is far longer than fourteen letters\"\n");
    h.rows = NULL;
    CHECK(plot_heatmap(scratch_path("n"), &h, PLOT_SVG), "%s", tensor_error());
    CHECK_TEXT(plot_notes(), ""); /* those of the picture before are gone */
}

/* ---- heads in several rows ------------------------------------------------------------------- */

TEST(the_heads_of_a_layer_stand_in_rows)
{
    NEED_GNUPLOT();
    Tensor *map = kept(tensor_new(shape3(12, 3, 3)));
    for (int i = 0; i < 108; i++)
        map->data[i] = (real)(i / 9) / 16;
    const Tensor *layers[] = {map};
    PlotGrid g = {.layers = layers, .layer_count = 1};
    const char *svg = drawn_file("g.svg", plot_grid(scratch_path("g"), &g, PLOT_SVG));
    Spot one = svg_spot(svg, "head 1"), four = svg_spot(svg, "head 4"),
         five = svg_spot(svg, "head 5"), twelve = svg_spot(svg, "head 12");
    CHECK(one.y == four.y && one.x < four.x && five.x == one.x && five.y > one.y, "not 4 in a row");
    CHECK(twelve.x == four.x && twelve.y > five.y, "not 3 rows");
    Tensor *back =
        data_array_read(scratch_path("g.npy"), NULL); /* the order of the heads is the map's */
    REQUIRE(back, "%s", tensor_error());
    CHECK_TEXT(shape_str(back->shape), "(1, 12, 3, 3)");
    CHECK(memcmp(back->data, map->data, 108 * sizeof(real)) == 0, "other numbers");
    tensor_free(back);
}

/* ---- words and heads on a slide -------------------------------------------------------------- */

/* Which layer it is, a grid of one layer is not told. */
TEST(heads_of_one_layer_claim_no_layer)
{
    NEED_GNUPLOT();
    Tensor *a = kept(tensor_new(shape3(4, 12, 12)));
    const Tensor *layers[] = {a};
    PlotGrid g = {.layers = layers, .layer_count = 1};
    const char *svg = drawn_file("one.svg", plot_grid(scratch_path("one"), &g, PLOT_SVG));
    CHECK(!strstr(svg, "layer") && svg_texts(svg, "head 4") == 1, "a layer is named");
    /* two rows of two: heads 1 and 3 stand one below the other */
    CHECK_CLOSE(svg_spot(svg, "head 1").x, svg_spot(svg, "head 3").x, 0.1);
    CHECK(svg_spot(svg, "head 3").y > svg_spot(svg, "head 1").y + 250, "not in two rows");
}

/* 12 heads of 24 tokens: every label that is drawn has its own line. */
TEST(many_heads_keep_labels_of_both_axes)
{
    NEED_GNUPLOT();
    const char *tokens[24];
    for (int i = 0; i < 24; i++)
        tokens[i] = i == 0 ? "first" : i == 3 ? "internationalization" : "word";
    Tensor *a = kept(tensor_new(shape3(12, 24, 24)));
    const Tensor *layers[] = {a};
    PlotGrid g = {.layers = layers, .layer_count = 1, .rows = tokens, .title = "Layer 4"};
    const char *svg = drawn_file("twelve.svg", plot_grid(scratch_path("twelve"), &g, PLOT_SVG));
    /* three rows and four columns of panels */
    CHECK(svg_texts(svg, "first") == 7, "'first' stands %d times", svg_texts(svg, "first"));
    CHECK(strstr(plot_notes(), "of the rows' labels every 3rd is drawn"), "%s", plot_notes());
}

TEST(forty_words_have_their_weights_and_a_frame)
{
    NEED_GNUPLOT();
    const char *forty[40];
    for (int i = 0; i < 40; i++)
        forty[i] = i == 11 ? "it" : "because";
    Tensor *map = kept(tensor_new(shape2(40, 40)));
    map->data[11 * 40 + 3] = (real)0.75;
    map->data[11 * 40 + 11] = (real)0.25;
    const PlotArcs a = {.map = map, .words = forty, .from = 11};
    const char *svg =
        drawn_file("forty.svg", plot_arcs(scratch_path("forty"), &a, 1, NULL, PLOT_SVG));
    CHECK(svg_texts(svg, "0.75") == 1 && svg_texts(svg, "0.25") == 1, "a weight is missing");
    CHECK_CLOSE(svg_spot(svg, "it").x, svg_spot(svg, "0.25").x, 5); /* words are 30 apart */
    CHECK(strstr(scratch_text(scratch_path("forty.gp")), "set object rectangle center"),
          "no frame");
    /* of 200 words not all fit, but the query is there */
    const char *many[200];
    for (int i = 0; i < 200; i++)
        many[i] = i == 5 ? "query" : "key";
    Tensor *large = kept(tensor_new(shape2(200, 200)));
    const PlotArcs b = {.map = large, .words = many, .from = 5};
    CHECK(plot_arcs(scratch_path("many"), &b, 1, NULL, PLOT_SVG), "%s", tensor_error());
    CHECK(svg_texts(scratch_text(scratch_path("many.svg")), "query") == 1, "no query");
}

/* Three queries, two keys; the weight below 0.01 has no line. */
TEST(links_are_the_weights)
{
    NEED_GNUPLOT();
    const char *rows[] = {"a", "b", "c"}, *columns[] = {"x", "y"};
    real weights[] = {(real)0.75, (real)0.25, (real)0.995, (real)0.005, (real)0.5, (real)0.5};
    Tensor *map = kept(tensor_from(weights, shape2(3, 2)));
    const PlotHeatmap h = {.map = map, .rows = rows, .columns = columns};
    CHECK(plot_links(scratch_path("links"), &h, -1, ALL), "%s", tensor_error());
    const char *data = scratch_text(scratch_path("links.tsv")), *last = strrchr(data, '\n');
    CHECK(count_of(strstr(data, "\n\n\n") + 3, "\t0.") == 5, "%s", data);
    CHECK(strcmp(last - 6, "\t0.995\n") == 0, "the heaviest is not drawn last: %s", data);
    CHECK(strstr(plot_notes(), "below 0.01, or not finite: 1 weights"), "%s", plot_notes());
    const char *svg = drawn_file("link.svg", plot_links(scratch_path("link"), &h, 1, PLOT_SVG));
    CHECK(well_formed(svg) && svg_texts(svg, "1.00") + svg_texts(svg, "0.99") == 1, "no weight");
    CHECK_CLOSE(svg_spot(svg, "a").y, svg_spot(svg, "x").y, 0.1);
    CHECK(svg_spot(svg, "a").x < svg_spot(svg, "x").x, "the queries are not at the left");
    REFUSES(plot_links, "from is 3; expected a row of the map, 0 to 2, or -1", scratch_path("link"),
            &h, 3, PLOT_SVG);
}
