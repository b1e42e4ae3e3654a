/* test_plot_failures.c: every allocation and every use of a file fails, one after the other, in
 * each kind of picture (trial.c). A picture that is not drawn is an error; an older picture remains
 * unchanged, and no temporary file is left. In one test scripts stand in for gnuplot and fc-list;
 * in the others both are missing, since there are several thousand rounds. */
#define _GNU_SOURCE
#include "tensor/system/system.h"
#include "plot/own.h"
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "pictures", stem[] = "pictures/p", drawing[] = "pictures/p.png";

/* The end of $3 names the picture: "cd './out'; picture = './.plot-1-0'". */
static const char *const gnuplot = "#!/bin/sh\n"
                                   "folder=${3#cd \\'} folder=${folder%%\\'*}\n"
                                   "picture=${3##*\\'./} picture=${picture%\\'}\n"
                                   "echo drawn >\"$folder/$picture.png\"\n"
                                   "echo 'nothing to complain about' >&2\n";
static const char *const fc_list = "#!/bin/sh\necho 'TrueType 20-7e a0-1a9'\n";

static void install(const char *name, const char *script)
{
    CHECK(scratch_write(scratch_path(name), script, strlen(script)) &&
              chmod(scratch_path(name), 0755) == 0,
          "no %s", name);
}

static void put_old_picture(void *context)
{
    (void)context;
    scratch_clear(folder);
    disk_system.mkdir(folder);
    scratch_write(drawing, "old\n", 4);
}

/* How many of the expected files exist. */
static int kept_files(void)
{
    static const char *const suffixes[] = {".png",   ".gp",    ".tsv",   ".csv",  ".npy",
                                           "-1.csv", "-1.npy", "-2.csv", "-2.npy"};
    char name[1200];
    int count = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(name, sizeof name, "%s%s", stem, suffixes[i]);
        count += exists(name);
    }
    return count;
}

static bool old_or_drawn(void *context, bool ok)
{
    bool drawn = ok && plot_has_gnuplot();
    bool right = strcmp(scratch_text(drawing), drawn ? "drawn\n" : "old\n") == 0;
    bool alone = trial_kept_a_file() || scratch_files(folder) == kept_files();
    (void)context;
    return right && alone;
}

/* `programs`: the only directory on PATH. */
static void check_drawing(bool (*draw)(void *), const char *programs)
{
    char *before = strdup(getenv("PATH"));
    setenv("PATH", programs, 1);
    REQUIRE(chdir(scratch_path(".")) == 0, "no directory");
    const Attempt t = {draw, put_old_picture, old_or_drawn, NULL, folder};
    CHECK_TRIAL_MEMORY(&t);
    CHECK_TRIAL_DISK(&t);
    CHECK(chdir("/") == 0, "no root");
    setenv("PATH", before, 1);
    free(before);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static const char *const foreign[] = {"\xe4\xbd\xa0", "b"}; /* fc-list is asked for it */

static Tensor map = {.shape = SHAPE(2, 2, 2),
                     .stride = {4, 2, 1},
                     .data = (real[]){0, 1, (real)0.5, (real)0.25, 1, 0, (real)0.75, (real)0.125}};

static bool draw_maps(void *unused)
{
    PlotHeatmap h[2] = {{.map = &map, .head = 1, .rows = foreign},
                        {.map = &map, .head = PLOT_MEAN}};
    (void)unused;
    return plot_heatmaps(stem, h, 2, "t", PLOT_PNG);
}

TEST(maps)
{
    CHECK(tensor_make_directory(scratch_path("bin")), "%s", tensor_error());
    install("bin/gnuplot", gnuplot);
    install("bin/fc-list", fc_list);
    check_drawing(draw_maps, scratch_path("bin"));
}

static bool draw_grid(void *unused)
{
    const Tensor *layers[] = {&map};
    PlotGrid g = {.layers = layers, .layer_count = 1};
    (void)unused;
    return plot_grid(stem, &g, PLOT_PNG);
}

static bool draw_arcs(void *unused)
{
    PlotArcs a = {.map = &map, .words = foreign};
    (void)unused;
    return plot_arcs(stem, &a, 1, NULL, PLOT_PNG);
}

static bool draw_bars(void *unused)
{
    double values[] = {0.25, 0.75};
    PlotBars b = {.names = foreign, .values = values, .count = 2};
    (void)unused;
    return plot_bars(stem, &b, 1, NULL, PLOT_PNG);
}

static bool draw_curves(void *unused)
{
    double y[] = {1, 2};
    PlotSeries s = {"s", NULL, y, 2};
    PlotCurves c = {.series = &s, .count = 1, .title = foreign[0]};
    (void)unused;
    return plot_curves(stem, &c, PLOT_PNG);
}

static bool draw_links(void *unused)
{
    PlotHeatmap h = {.map = &map, .rows = foreign};
    (void)unused;
    return plot_links(stem, &h, -1, PLOT_PNG);
}

static bool draw_diagram(void *unused)
{
    const PlotPart parts[] = {{"a", PLOT_BOX, 200, 300, 100, 60, .text = foreign[0]},
                              {"b", PLOT_CIRCLE, 500, 300, 80, 80, .text = "b"}};
    const PlotArrow arrow = {.path = "a > b"};
    PlotDiagram d = {.parts = parts, .count = 2, .arrows = &arrow, .arrow_count = 1};
    (void)unused;
    return plot_diagram(stem, &d, PLOT_PNG);
}

TEST(other_kinds)
{
    static bool (*const draw[])(void *) = {draw_grid, draw_arcs,   draw_links,
                                           draw_bars, draw_curves, draw_diagram};
    for (size_t i = 0; i < sizeof draw / sizeof *draw; i++)
        check_drawing(draw[i], "/nowhere");
}

/* ---- in the terminal ------------------------------------------------------------------------- */

static bool print_all(void *out)
{
    PlotHeatmap h = {.map = &map, .rows = foreign};
    return plot_terminal_heatmaps(out, &h, 1, PLOT_COLOUR);
}

TEST(terminal)
{
    FILE *out = fopen("/dev/null", "wb");
    REQUIRE(out, "no /dev/null");
    CHECK_OUT_OF_MEMORY(print_all, out);
    fclose(out);
}
