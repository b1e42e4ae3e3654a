/* test_page_chapter.c: a chapter's page: where its text and its numbers stand, and what makes it
 * fail. */
#include "plot/html/own_pages.h"
#include "tests/plot/plot_checks.h"

#include <string.h>

static real numbers[] = {0, (real)0.1, -1, 3};
static PlotLiveNumbers named = {"em/points", numbers, 4};
static PlotLiveFigure figure = {.kind = "computed",
                                .after = "figure-em",
                                .numbers = &named,
                                .count = 1};

static bool write(const char *html)
{
    const PlotPageChapter c = {"8 <VAE>", html, &figure, 1, NULL};
    scratch_clear(scratch_path("pages"));
    return plot_page_chapter(scratch_path("pages/c.html"), &c);
}

/* The text comes before the data, as it stands; 0.1 as a float is 0.100000001 in 9 digits. */
static void text_and_numbers_stand_in_the_page(void)
{
    CHECK(write("<h1>8</h1>\n<p id=\"figure-em\">&lt;b&gt;</p>\n"), "%s", tensor_error());
    const char *text = scratch_text(scratch_path("pages/c.html"));
    const char *body =
        strstr(text, "<div id=\"text\">\n<h1>8</h1>\n<p id=\"figure-em\">&lt;b&gt;</p>\n</div>");
    CHECK(body && body < strstr(text, "<script type=\"application/json\""), "no text");
    CHECK(strstr(text, "<title>8 &lt;VAE>"), "no title");
    CHECK(strstr(text, "{\"kind\":\"computed\",\"after\":\"figure-em\",\"numbers\":"
                       "{\"em/points\":[0,0.100000001,-1,3]},\"labels\":null}"),
          "no numbers");
}

static void bad_chapters_are_errors(void)
{
    CHECK(!plot_page_chapter(scratch_path("c.html"), NULL), "nothing");
    CHECK_ERROR("plot_page_chapter: the chapter is NULL; expected");
    CHECK(!write(NULL), "no text");
    CHECK_ERROR("plot_page_chapter: the text is NULL; expected a chapter with title and text");
    figure.kind = "emm";
    CHECK(!write("<p></p>"), "an unknown kind");
    CHECK_ERROR("plot_page_chapter: figure \"emm\"; expected a kind");
    figure.kind = "computed", figure.after = "";
    CHECK(!write("<p></p>"), "after nothing");
    CHECK_ERROR("plot_page_chapter: figure computed follows no element; expected an id");
    figure.after = "x", named.count = 0;
    CHECK(!write("<p></p>"), "no number");
    CHECK_ERROR("plot_page_chapter: 0 numbers \"em/points\" of figure computed; expected a name");
    named.count = 4, named.numbers = NULL;
    CHECK(!write("<p></p>"), "NULL as numbers");
    CHECK_ERROR("plot_page_chapter: 0 numbers \"em/points\" of figure computed; expected a name");
    CHECK(!exists(scratch_path("pages/c.html")), "a page was written");
    named.numbers = numbers;
}

static const TestCase cases[] = {{"text and numbers stand in the page",
                                  text_and_numbers_stand_in_the_page},
                                 {"bad chapters are errors", bad_chapters_are_errors},
                                 {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_tests("page_chapter", cases, argc, argv);
}
