/* test_page_generation.c: the data of a page on generated text, and what makes it fail. What the
 * page computes from them is compared with the decoder's in tests/browser/generation.py. */
#include "plot/html/own_pages.h"
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 3, STEPS = 2 };

static const char *const vocabulary[] = {"a", "</script>", "\xff"};
static real numbers[] = {0, (real)-1.5, (real)0.1, 3, 3, -INFINITY};
static Tensor logits = {.shape = SHAPE(STEPS, WORDS), .stride = {WORDS, 1}, .data = numbers};
static int tokens[] = {0, 1};
static BeamNode nodes[] = {{-1, 0, 1, -0.5}, {-1, 1, 1, -1}, {0, 2, 2, -0.75}};
static BeamTree beam = {.nodes = 3, .node = nodes, .best = 2, .alpha = 0.5};

/* A generation that is right, for tests to spoil. */
static PlotPageGeneration right(void)
{
    numbers[5] = 1;
    return (PlotPageGeneration){.vocabulary = vocabulary,
                                .words = WORDS,
                                .logits = &logits,
                                .tokens = tokens,
                                .temperature = 0.5,
                                .top_k = 1000,
                                .top_p = 1,
                                .rng = {.seed = UINT64_MAX, .stream = 2, .position = 4},
                                .beam = &beam,
                                .end = -1};
}

static bool write(const PlotPageGeneration *g)
{
    return plot_page_generation(scratch_path("pages/g.html"), g);
}

/* 0.1 as a float is 0.100000001 in 9 digits; a seed above 2^53 would lose digits as a number. */
TEST(numbers_are_exact)
{
    PlotPageGeneration g = right();
    CHECK(write(&g), "%s", tensor_error());
    const char *text = scratch_text(scratch_path("pages/g.html"));
    static const char *const parts[] = {
        "\"vocabulary\":[\"a\",\"\\u003c/script>\",\"\xef\xbf\xbd\"]",
        "\"logits\":[[0,-1.5,0.100000001],[3,3,1]]",
        "\"tokens\":[0,1]",
        "\"topK\":3",
        "\"seed\":\"18446744073709551615\",\"stream\":\"2\",\"position\":\"4\"",
        ("\"beam\":{\"width\":2,\"end\":-1,\"alpha\":0.5,\"parent\":[-1,-1,0],\"token\":[0,1,2],"
         "\"length\":[1,1,2],\"log_p\":[-0.5,-1,-0.75]}")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CHECK(strstr(text, parts[i]), "%s is missing", parts[i]);
}

/* Above 120,000 logits each step is packed by itself: two steps of 60,001 zeros and threes. */
TEST(many_logits_are_packed)
{
    enum { MANY = 60001 };
    static const char *names[MANY];
    Tensor *large = tensor_new(shape2(2, MANY));
    for (int i = 0; i < MANY; i++) {
        names[i] = "x";
        large->data[MANY + i] = i == 7 ? 3 : 0;
    }
    PlotPageGeneration g = right();
    g.vocabulary = names, g.words = MANY, g.logits = large, g.beam = NULL;
    CHECK(write(&g), "%s", tensor_error());
    const char *text = scratch_text(scratch_path("pages/g.html"));
    CHECK(count_of(text, "\"shape\":[60001],\"bits\":16") == 2, "%d packed steps",
          count_of(text, "\"shape\":[60001],\"bits\":16"));
    CHECK(strstr(text, "\"low\":0,\"high\":3"), "no range of its own");
    tensor_free(large);
}

static void refuses(const PlotPageGeneration *g, const char *why)
{
    scratch_clear(scratch_path("pages"));
    REFUSES(plot_page_generation, why, scratch_path("pages/g.html"), g);
    CHECK(!exists(scratch_path("pages/g.html")), "a page was written: %s", why);
}

TEST(bad_settings_are_errors)
{
    PlotPageGeneration g = right();
    refuses(NULL, "the generation is NULL; expected");
    g.tokens = NULL;
    refuses(&g, "tokens is NULL; expected");
    g = right(), g.top_k = 0;
    refuses(&g, "temperature 0.5, top-k 0, top-p 1; expected");
    g = right(), g.top_p = 0;
    refuses(&g, "temperature 0.5, top-k 1000, top-p 0; expected");
    g = right(), g.temperature = INFINITY;
    refuses(&g, "temperature inf, top-k 1000, top-p 1; expected");
    g = right(), g.tokens = (int[]){0, WORDS};
    refuses(&g, "token 3 at step 1; expected 0 to 2");
}

TEST(bad_logits_are_errors)
{
    PlotPageGeneration g = right();
    g.logits = NULL;
    refuses(&g, "the logits are NULL; expected (steps, V)");
    g = right(), g.words = 2;
    refuses(&g, "logits (2, 3) of 2 words; expected as many columns");
    g = right(), numbers[5] = NAN;
    refuses(&g, "logit 2 of step 1 is nan; expected finite numbers");
    g = right();
    Tensor *large = tensor_new(shape2(PLOT_PAGE_TOKENS + 1, WORDS));
    g.logits = large;
    refuses(&g, "expected as many columns as words, at most 2048 steps");
    tensor_free(large);
}

TEST(bad_beams_are_errors)
{
    PlotPageGeneration g = right();
    BeamNode wrong[] = {{-1, 0, 1, 0}, {1, 1, 2, 0}, {0, 2, 2, 0}};
    BeamTree tree = {.nodes = 3, .node = wrong};
    g.beam = &tree;
    refuses(&g, "node 1 of the beam has parent 1, token 1 and length 2");
    wrong[1].parent = 0, wrong[2].length = 3;
    refuses(&g, "node 2 of the beam has parent 0, token 2 and length 3");
    wrong[2].length = 2, wrong[2].token = 3;
    refuses(&g, "node 2 of the beam has parent 0, token 3 and length 2");
    tree.nodes = 0;
    refuses(&g, "a beam of 0 nodes; expected 1 to 4096");
}

/* What a page that computes reads is the page's data, without what is a file's. */
TEST(data_are_those_of_the_page)
{
    PlotPageGeneration g = right();
    char text[2048];
    size_t length = plot_page_generation_data(NULL, 0, &g);
    CHECK(plot_page_generation_data(text, sizeof text, &g) == length && strlen(text) == length &&
              strncmp(text, "{\"vocabulary\":", 14) == 0,
          "%zu: %.40s", length, text);
    CHECK(write(&g), "%s", tensor_error());
    const char *file = strstr(scratch_text(scratch_path("pages/g.html")), "\"vocabulary\"");
    CHECK(file && strncmp(file, text + 1, length - 1) == 0, "another text: %s", text);
    g.top_k = 0;
    CHECK(plot_page_generation_data(text, sizeof text, &g) == 0, "k = 0");
    CHECK_ERROR("plot_page_generation: temperature 0.5, top-k 0, top-p 1; expected");
}
