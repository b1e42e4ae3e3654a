/* test_plot_terminal.c: maps in characters. Expected outputs are written by hand. */
#define _GNU_SOURCE
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *printed_maps(const PlotHeatmap *h, int count, PlotTerminal mode)
{
    return printed(plot_terminal_heatmaps(printing(), h, count, mode));
}

TEST(a_map_in_characters)
{
    /* ten steps: 0 is ' ', 0.1 to 0.2 '.', 0.5 '+', 0.62 '*', 1 '@' */
    const char *rows[] = {"it", "was\x1b"}, *columns[] = {"The", "\xc3\xa9", ""};
    real x[] = {0, (real)0.15, 1, (real)0.55, (real)0.62, (real)NAN};
    Tensor *map = kept(tensor_from(x, shape2(2, 3)));
    PlotHeatmap h = {.map = map, .rows = rows, .columns = columns, .title = "one head"};
    CHECK_TEXT(printed_maps(&h, 1, PLOT_PLAIN), "one head\n"
                                                "  it |  ..@@|\n"
                                                "was\xef\xbf\xbd |++**??|\n"
                                                "      T \xc3\xa9    \n"
                                                "      h      \n"
                                                "      e      \n"
                                                "\n"
                                                "0 |  ..::--==++**##%%@@@| 1  attention weight\n");
}

TEST(a_gradient_in_characters)
{
    real x[] = {-2, (real)0.1, 2, -1};
    Tensor *map = kept(tensor_from(x, shape2(2, 2)));
    PlotHeatmap h = {.map = map, .scale = {.diverging = true, .name = "dL/dA"}};
    CHECK_TEXT(printed_maps(&h, 1, PLOT_PLAIN),
               "1 |-@  |\n"
               "2 |+@-+|\n"
               "   1 2  \n"
               "\n"
               "-2 |-@-@-%-#-*-+-=---:-.  +.+:+-+=+++*+#+%+@+@| 2  dL/dA\n");
}

TEST(a_mask_in_characters)
{
    real x[] = {1, 0, 1, 1};
    const char *legend[] = {"masked", "kept", NULL};
    Tensor *map = kept(tensor_from(x, shape2(2, 2)));
    PlotHeatmap h = {.map = map, .scale = {.legend = legend}};
    CHECK_TEXT(printed_maps(&h, 1, PLOT_PLAIN), "1 |@@  |\n"
                                                "2 |@@@@|\n"
                                                "   1 2  \n"
                                                "\n"
                                                "|  | masked   |@@| kept\n");
}

/* By hand: #440154 is nearest to level 1, 0, 1 of the cube (16 + 36 + 1), #fde725 to 5, 4, 0. */
TEST(a_map_in_colours)
{
    real x[] = {0, 1};
    Tensor *map = kept(tensor_from(x, shape2(1, 2)));
    PlotHeatmap h = {.map = map};
    const char *text = printed_maps(&h, 1, PLOT_COLOUR);
    const char *row = "1 |\033[48;5;53m  \033[0m\033[48;5;220m  \033[0m|\n   1 2  \n";
    CHECK(strncmp(text, row, strlen(row)) == 0, "%s", text);
}

TEST(maps_stand_beside_each_other_as_far_as_they_fit)
{
    real x[] = {1, 0};
    Tensor *map = kept(tensor_from(x, shape2(1, 2)));
    const char *label[] = {"a"};
    PlotHeatmap h[3];
    for (int i = 0; i < 3; i++)
        h[i] = (PlotHeatmap){.map = map, .rows = label, .title = i == 2 ? "a long title" : "map"};
    setenv("COLUMNS", "20", 1); /* each map takes 8 columns, a gap 3: 19 for two */
    const char *text = printed_maps(h, 3, PLOT_PLAIN);
    CHECK(strncmp(text,
                  "map        map     \n"
                  "a |@@  |   a |@@  |\n"
                  "   1 2        1 2  \n"
                  "\n"
                  "a long \xe2\x80\xa6\n"
                  "a |@@  |\n",
                  78) == 0,
          "%s", text);
    Tensor *wide = map_of(1, 40); /* 16 columns of one character, 16 more, and 8 */
    text = printed_maps(&(PlotHeatmap){.map = wide, .rows = label}, 1, PLOT_PLAIN);
    CHECK(count_of(text, "a |") == 3, "%s", text);
    Tensor *three = map_of(1, 3); /* 10 columns: 23 for two */
    h[0] = h[1] = (PlotHeatmap){.map = three, .rows = label};
    setenv("COLUMNS", "23", 1);
    CHECK(count_of(printed_maps(h, 2, PLOT_PLAIN), "|   a |") == 1, "not beside each other");
    setenv("COLUMNS", "22", 1);
    CHECK(count_of(printed_maps(h, 2, PLOT_PLAIN), "|   a |") == 0, "beside each other");
    unsetenv("COLUMNS");
}

TEST(a_full_disk_is_an_error)
{
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        SKIP("no /dev/full here");
    CHECK(!plot_terminal_heatmaps(full, &h, 1, PLOT_PLAIN), "nothing was written, and no error");
    CHECK_ERROR("plot_terminal_heatmaps: cannot write");
    fclose(full);
    REFUSES(plot_terminal_heatmaps, "out is NULL", NULL, &h, 1, PLOT_PLAIN);
}
