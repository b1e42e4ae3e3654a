/* plot_checks.h: reads the files that plot has written, as another program would. */
#ifndef GRADUS_TESTS_PLOT_CHECKS_H
#define GRADUS_TESTS_PLOT_CHECKS_H

#include "plot/plot.h"
#include "tests/harness/runner.h"

enum { ALL = PLOT_PNG | PLOT_SVG | PLOT_PDF };

#define NEED_GNUPLOT()                    \
    do {                                  \
        if (!plot_has_gnuplot())          \
            SKIP("gnuplot is not there"); \
    } while (0)

bool exists(const char *path);
int count_of(const char *text, const char *part);

/* The tensor, which the end of the program releases. */
Tensor *kept(Tensor *t);

/* A map of different numbers between 0 and 1; kept. */
Tensor *map_of(int64_t rows, int64_t columns);

/* The text of a file of scratch after the call that wrote it, such as drawn_file("m.svg",
 * plot_heatmap(scratch_path("m"), &h, PLOT_SVG)). */
const char *drawn_file(const char *name, bool ok);

/* The same for a terminal: printed(plot_terminal_heatmaps(printing(), &h, 1, PLOT_PLAIN)). */
FILE *printing(void);
const char *printed(bool ok);

/* Are all elements of an SVG closed in order, all attributes quoted, and is there no stray '<'? */
bool well_formed(const char *svg);

/* Where the first text element with exactly this text stands; NaN where there is none. */
typedef struct {
    double x, y;
} Spot;
Spot svg_spot(const char *svg, const char *want);

/* Chooses a locale with a decimal comma; false where none is installed. */
bool comma_locale(int category);

/* The number of its text elements with exactly this text. */
int svg_texts(const char *svg, const char *want);

#endif
