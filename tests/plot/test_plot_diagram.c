/* test_plot_diagram.c: where arrows begin and end, formulas, cells, links, refusals. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"
#include "plot/own.h"

#include <math.h>
#include <string.h>

static const PlotPart parts[] = {
    {"box", PLOT_BOX, 200, 300, 100, 60, .text = "W_q^T & it's", .link = "page.html#a"},
    {"ring", PLOT_CIRCLE, 500, 300, 80, 80, .text = "a{b}@~"},
    {NULL, PLOT_CELLS, 900, 300, 120, 80, .text = "1..\n.2."},
};
static const PlotArrow arrows[] = {{.path = "box > ring"},
                                   {.path = "ring > 500,500 > 200,500 > box"}};

static PlotDiagram of(const PlotArrow *lines, int count)
{
    return (PlotDiagram){.parts = parts, .count = 3, .arrows = lines, .arrow_count = count};
}

/* The k-th arrow of the script: from x, y to x, y. */
static void read_arrow(const char *script, int k, double place[4])
{
    for (int i = 0; script && i <= k; i++)
        script = strstr(script + 1, "set arrow from");
    if (!script || sscanf(script, "set arrow from %lf,%lf to %lf,%lf", place, place + 1, place + 2,
                          place + 3) != 4)
        place[0] = (double)NAN;
}

static void check_arrow(const char *script, int k, const double want[4])
{
    double place[4];
    read_arrow(script, k, place);
    for (int i = 0; i < 4; i++)
        CHECK_CLOSE(place[i], want[i], 0.01);
}

TEST(arrows_end_at_the_edges)
{
    PlotDiagram d = of(arrows, 2);
    CHECK(plot_diagram(scratch_path("edges"), &d, PLOT_SVG), "%s", tensor_error());
    const char *script = scratch_text(scratch_path("edges.gp"));
    check_arrow(script, 0, (double[]){250, 300, 460, 300});
    check_arrow(script, 1, (double[]){500, 340, 500, 500});
    check_arrow(script, 3, (double[]){200, 500, 200, 330});
    CHECK(count_of(script, "set object rect") == 1 + 6, "the box and six cells");
}

TEST(formulas_and_links)
{
    NEED_GNUPLOT();
    PlotDiagram d = of(arrows, 2);
    const char *svg = drawn_file("whole.svg", plot_diagram(scratch_path("whole"), &d, ALL));
    CHECK(well_formed(svg), "the SVG is not well formed");
    CHECK(count_of(svg, "W_q") == 1, "an index is not lowered, but in the name of the link");
    CHECK(strstr(svg, "a{b}@~") != NULL, "braces without an index are not shown as they are");
    CHECK(count_of(svg, "<a href=\"page.html#a\"") == 1, "one link");
    CHECK(strstr(svg, "<title>W_q^T &amp; it") != NULL, "a link has no name");
    CHECK(exists(scratch_path("whole.png")) && exists(scratch_path("whole.pdf")), "PNG and PDF");
}

TEST(refusals)
{
    const PlotArrow unknown[] = {{.path = "box > bok"}}, alone[] = {{.path = "box"}};
    PlotDiagram d = of(unknown, 1);
    REFUSES(plot_diagram, "found the path 'box > bok'; expected 2 to 6", scratch_path("refused"),
            &d, PLOT_SVG);
    d = of(alone, 1);
    REFUSES(plot_diagram, "found the path 'box'", scratch_path("refused"), &d, PLOT_SVG);
    d.count = 0;
    REFUSES(plot_diagram, "found no parts", scratch_path("refused"), &d, PLOT_SVG);
    CHECK(!exists(scratch_path("refused.gp")), "a refused diagram leaves a file");
}
