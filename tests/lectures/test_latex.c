/* test_latex.c: figures whose texts LaTeX sets (lectures/runner/latex.h). */
#include "tests/harness/runner.h"

#include "lectures/runner/latex.h"
#include "plot/plot.h"

#include <string.h>

/* A map whose labels and title have every character that LaTeX takes for its own. */
static bool draw(void)
{
    static const char *const rows[] = {"a_b & 50% #1", "{x} ~ ^ $y$"};
    static const char *const columns[] = {"back\\slash", "it's < 2 |"};
    Tensor *map = tensor_from((real[]){0, 1, 0.25, 0.75}, shape2(2, 2));
    const PlotHeatmap h = {.map = map,
                           .rows = rows,
                           .columns = columns,
                           .title = "x_A \xe2\x88\x92 x_B isn't 100 % \xcf\x80",
                           .values = true};
    bool ok = plot_heatmap(scratch_path("latex/drawn/map"), &h, PLOT_SVG) &&
              latex_figure(scratch_path("latex/drawn"), scratch_path("latex"), "map");
    tensor_free(map);
    return ok;
}

static void every_text_is_escaped_and_keeps_its_size(void)
{
    static const char *const wanted[] = {
        "a\\_b \\& 50\\% \\#1}",
        "\\{x\\} \\textasciitilde{} \\textasciicircum{} \\$y\\$}",
        "back\\textbackslash{}slash}",
        "it's $<$ 2 $|$}",
        "x\\_A $-$ x\\_B isn't 100 \\% $\\pi$}",
        "\\selectfont 0.75}",
        "{map-latex}}", /* the picture below the texts */
    };
    if (!plot_has_gnuplot())
        SKIP("there is no gnuplot");
    REQUIRE(draw(), "%s", tensor_error());
    const char *tex = scratch_text(scratch_path("latex/map-latex.tex"));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        CHECK(strstr(tex, wanted[i]), "lacks %s in %s", wanted[i], tex);
    CHECK(*scratch_text(scratch_path("latex/map-latex.pdf")), "no picture below the texts");
}

static void without_a_picture_it_says_so(void)
{
    const char *folder = scratch_path("");
    CHECK(!latex_figure(folder, folder, "nothing"), "made of nothing");
    CHECK_ERROR("nothing.gp: opening failed with");
}

static const TestCase cases[] = {
    {"every text is escaped and keeps its size", every_text_is_escaped_and_keeps_its_size},
    {"without a picture it says so", without_a_picture_it_says_so},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("latex", cases, argc, argv);
}
