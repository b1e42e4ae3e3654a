/* test_plot_tree.c: trees in the data file and in the terminal. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The root has the children a and b, a has c, d and e, and d has f. */
enum { NODES = 6 };
static const int parent[NODES] = {-1, -1, 0, 0, 0, 3};
static const char *const labels[NODES] = {"a", "b", "c", "`d`", "e", "f"};
static const double numbers[NODES] = {-0.25, -0.5, -1, -1.25, -10.125, -3};
static const PlotTree tree = {.count = NODES,
                              .parent = parent,
                              .labels = labels,
                              .numbers = numbers,
                              .marked = 5,
                              .root = "root it's",
                              .title = "a tree"};

typedef struct {
    double x, y;
    unsigned colour;
} Drawn;

/* The nodes as the data file has them, the root first. */
static int read_nodes(const char *path, Drawn node[NODES + 1])
{
    const char *line = scratch_text(path);
    int n = 0;
    for (; *line && *line != '\n' && n <= NODES; n++, line = strchr(line, '\n') + 1)
        if (sscanf(line, "%lf\t%lf\t%*[^\t]\t%*s\t%u", &node[n].x, &node[n].y, &node[n].colour) !=
            3)
            return -1;
    return n;
}

TEST(parents_stand_in_the_middle_of_their_children)
{
    Drawn n[NODES + 1];
    CHECK(plot_tree(scratch_path("tree"), &tree, PLOT_SVG), "%s", tensor_error());
    REQUIRE(read_nodes(scratch_path("tree.tsv"), n) == NODES + 1, "%s",
            scratch_text(scratch_path("tree.tsv")));
    const Drawn *of = n + 1; /* of[i]: node i; n[0]: the root */
    CHECK_CLOSE(of[0].y, (of[2].y + of[4].y) / 2, 0.01);
    CHECK_CLOSE(n[0].y, (of[0].y + of[1].y) / 2, 0.01);
    CHECK_CLOSE(of[5].y, of[3].y, 0.01);
    CHECK_CLOSE(of[3].y - of[2].y, of[1].y - of[4].y, 0.01); /* leaves have equal distances */
    CHECK(of[2].y < of[3].y && of[3].y < of[4].y && of[4].y < of[1].y, "in depth-first order");
    for (int i = 0; i < NODES; i++) {
        CHECK(of[i].x > n[parent[i] + 1].x + 30, "node %d is not to the right of its parent", i);
        CHECK(of[i].x < 1240 && of[i].y > 40 && of[i].y < 710, "node %d is off the page", i);
        bool marked = i == 0 || i == 3 || i == 5;
        CHECK((of[i].colour == 0) == marked, "node %d is %smarked", i, marked ? "not " : "");
    }
}

TEST(every_text_is_there)
{
    NEED_GNUPLOT();
    const char *svg = drawn_file("tree.svg", plot_tree(scratch_path("tree"), &tree, ALL));
    CHECK(well_formed(svg), "the SVG is not well formed");
    for (int i = 0; i < NODES; i++) {
        char number[16];
        snprintf(number, sizeof number, "%.2f", numbers[i]);
        CHECK(svg_texts(svg, labels[i]) == 1 && svg_texts(svg, number) == 1, "node %d: %d, %d", i,
              svg_texts(svg, labels[i]), svg_texts(svg, number));
    }
    CHECK(svg_texts(svg, "root it's") == 1 && svg_texts(svg, "a tree") == 1, "root and title");
    CHECK(exists(scratch_path("tree.png")) && exists(scratch_path("tree.pdf")), "PNG and PDF");
}

/* One node; a line of 300; 500 leaves; labels longer than a column. */
TEST(all_sizes)
{
    enum { LINE = 300, LEAVES = 500 };
    int line[LINE], star[LEAVES];
    static const char *text[LEAVES];
    Drawn n[NODES + 1];
    for (int i = 0; i < LEAVES; i++) {
        star[i] = -1;
        if (i < LINE)
            line[i] = i - 1;
        text[i] = "a label that is much longer than the space that there is for it";
    }
    PlotTree trees[] = {{.count = 1, .parent = star, .labels = text, .marked = -1},
                        {.count = LINE, .parent = line, .labels = text, .marked = LINE - 1},
                        {.count = LEAVES, .parent = star, .labels = text, .marked = 0}};
    for (int i = 0; i < 3; i++) {
        CHECK(plot_tree(scratch_path("sizes"), &trees[i], PLOT_SVG), "%s", tensor_error());
        CHECK(!plot_has_gnuplot() || well_formed(scratch_text(scratch_path("sizes.svg"))),
              "tree %d", i);
    }
    CHECK(plot_tree(scratch_path("one"), &trees[0], PLOT_SVG), "%s", tensor_error());
    CHECK(read_nodes(scratch_path("one.tsv"), n) == 2 && n[0].y == n[1].y, "one node");
}

TEST(in_characters)
{
    static const char want[] = "a tree\n"
                               "root it's\n"
                               "+- a  -0.25  <\n"
                               "|  +- c  -1.00\n"
                               "|  +- `d`  -1.25  <\n"
                               "|  |  `- f  -3.00  <\n"
                               "|  `- e  -10.12\n"
                               "`- b  -0.50\n";
    CHECK_TEXT(printed(plot_terminal_tree(printing(), &tree, PLOT_PLAIN)), want);
}

TEST(refusals)
{
    const char *stem = scratch_path("refused");
    PlotTree bad = tree;
    int cycle[NODES] = {-1, -1, 0, 4, 0, 3}, below[NODES] = {-1, -2, 0, 0, 0, 3};
    REFUSES(plot_tree, "formats 0", stem, &tree, 0);
    bad.count = 0;
    REFUSES(plot_tree, "0 nodes; expected 1 to 4096", stem, &bad, PLOT_SVG);
    bad = tree;
    bad.parent = cycle;
    REFUSES(plot_tree, "node 3 has the parent 4; expected -1", stem, &bad, PLOT_SVG);
    bad.parent = below;
    REFUSES(plot_terminal_tree, "node 1 has the parent -2", stderr, &bad, PLOT_PLAIN);
    bad = tree;
    bad.marked = NODES;
    REFUSES(plot_tree, "marked is 6; expected a node, 0 to 5, or -1", stem, &bad, PLOT_SVG);
    REFUSES(plot_terminal_tree, "out is NULL", NULL, &tree, PLOT_PLAIN);
    CHECK(!exists(scratch_path("refused.tsv")), "a refused tree leaves a file");
}
