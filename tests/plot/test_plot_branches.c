/* test_plot_branches.c: the tree above the maps of a picture: names and lines. */
#include "tests/plot/plot_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAPS = 3 };
static const char *const titles[MAPS] = {"first", "second", "third"};

/* Three maps side by side, which hang from these branches. */
static bool draw(const char *stem, const char *const branch[MAPS], const char *title)
{
    Tensor *map = map_of(10, 10);
    PlotHeatmap maps[MAPS];
    for (int k = 0; k < MAPS; k++)
        maps[k] =
            (PlotHeatmap){.map = map, .pixels = true, .title = titles[k], .branch = branch[k]};
    bool ok = plot_heatmaps(scratch_path(stem), maps, MAPS, title, PLOT_SVG);
    tensor_free(map);
    return ok;
}

static void a_branch_is_named_above_the_middle_of_its_maps(void)
{
    NEED_GNUPLOT();
    const char *branch[MAPS] = {"both", "both", "alone"};
    CHECK(draw("tree", branch, "root"), "%s", tensor_error());
    const char *svg = scratch_text(scratch_path("tree.svg"));
    CHECK(svg_texts(svg, "both") == 1 && svg_texts(svg, "alone") == 1, "%d and %d names",
          svg_texts(svg, "both"), svg_texts(svg, "alone"));
    Spot root = svg_spot(svg, "root"), both = svg_spot(svg, "both"), alone = svg_spot(svg, "alone");
    Spot map[MAPS];
    for (int k = 0; k < MAPS; k++)
        map[k] = svg_spot(svg, titles[k]);
    CHECK(map[0].x < map[1].x && map[1].x < map[2].x, "the maps are not side by side");
    CHECK(fabs(both.x - (map[0].x + map[1].x) / 2) < 0.5, "'both' is at %g", both.x);
    CHECK(fabs(alone.x - map[2].x) < 0.5, "'alone' is at %g", alone.x);
    /* each font is about 17 high: names do not touch titles, nor the root */
    CHECK(root.y + 20 < both.y && both.y + 20 < map[0].y, "y: %g, %g, %g", root.y, both.y,
          map[0].y);
}

/* Lines of a script: for each branch one from the trunk, one to its name, one over its maps, one
 * along the trunk, and one to each map; two for the root. */
static int lines_of(const char *const branch[MAPS], const char *title)
{
    if (!draw("lines", branch, title))
        return -1;
    return count_of(scratch_text(scratch_path("lines.gp")), "set arrow from");
}

static void lines_join_root_branches_and_maps(void)
{
    const char *two[MAPS] = {"both", "both", "alone"}, *apart[MAPS] = {"both", "alone", "both"};
    const char *some[MAPS] = {NULL, "alone", ""}, *none[MAPS] = {NULL, NULL, NULL};
    int n = lines_of(two, "root");
    CHECK(n == 2 * 4 + 3 + 2, "two branches: %d lines", n);
    n = lines_of(two, NULL);
    CHECK(n == 2 * 4 + 3, "without a root: %d lines", n);
    n = lines_of(apart, "root");
    CHECK(n == 3 * 4 + 3 + 2, "a branch in two parts: %d lines", n);
    n = lines_of(some, "root");
    CHECK(n == 4 + 1 + 2, "one map on a branch: %d lines", n);
    n = lines_of(none, "root");
    CHECK(n == 0, "no branch: %d lines", n);
}

static void names_of_branches_are_data(void)
{
    NEED_GNUPLOT();
    const char *branch[MAPS] = {"it's {a} `b`", "x_1", "x_1"};
    CHECK(draw("data", branch, "root"), "%s", tensor_error());
    const char *svg = scratch_text(scratch_path("data.svg"));
    CHECK(svg_texts(svg, "x_1") == 1 && strstr(svg, "{a} `b`") && well_formed(svg), "%s", svg);
}

static const TestCase cases[] = {{"a branch is named above the middle of its maps",
                                  a_branch_is_named_above_the_middle_of_its_maps},
                                 {"lines join root, branches and maps",
                                  lines_join_root_branches_and_maps},
                                 {"names of branches are data", names_of_branches_are_data},
                                 {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_tests("plot_branches", cases, argc, argv);
}
