/* test_plot_colours.c: which terminals get colours, with a pseudo-terminal. */
#define _GNU_SOURCE
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A pseudo-terminal has a size of its own. */
TEST(colours_are_for_terminals_that_have_them)
{
    static const struct {
        const char *term, *no_color;
        bool colour;
    } cases[] = {{"xterm", NULL, true},
                 {"xterm", "", true},
                 {"xterm", "1", false},
                 {"dumb", NULL, false},
                 {"", NULL, false}};
    Tensor *map = map_of(2, 2);
    PlotHeatmap h = {.map = map};
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        SKIP("no pseudo terminals here");
    char *term = getenv("TERM") ? strdup(getenv("TERM")) : NULL;
    for (int i = 0; i < 5; i++) {
        char text[4000] = "";
        setenv("TERM", cases[i].term, 1);
        if (cases[i].no_color)
            setenv("NO_COLOR", cases[i].no_color, 1);
        FILE *out = fopen(ptsname(master), "w");
        REQUIRE(out, "no terminal");
        CHECK(plot_terminal_heatmaps(out, &h, 1, PLOT_AUTO), "%s", tensor_error());
        size_t n = 0;
        for (ssize_t more = 1; more > 0 && !strstr(text, "weight"); n += (size_t)more)
            more = read(master, text + n, sizeof text - 1 - n);
        fclose(out);
        CHECK((strstr(text, "\033[48;5;") != NULL) == cases[i].colour, "case %d: %s", i, text);
        unsetenv("NO_COLOR");
    }
    CHECK(!strchr(printed(plot_terminal_heatmaps(printing(), &h, 1, PLOT_AUTO)), '\033'),
          "colours in a file");
    if (term)
        setenv("TERM", term, 1);
    else
        unsetenv("TERM");
    free(term);
    close(master);
}
