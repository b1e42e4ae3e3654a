/* plot_checks.h: reads the files that plot has written, as another program would. */
#ifndef GRADUS_TESTS_PLOT_CHECKS_H
#define GRADUS_TESTS_PLOT_CHECKS_H

#include "plot/plot.h"
#include "tests/harness/runner.h"

enum { ALL = PLOT_PNG | PLOT_SVG | PLOT_PDF, TEXT_MAX = 4 << 20 };

#define NEED_GNUPLOT()                    \
    do {                                  \
        if (!plot_has_gnuplot())          \
            SKIP("gnuplot is not there"); \
    } while (0)

/* The contents of a file, or "" if it does not exist. Valid until the next call. */
const char *text_of(const char *path);

bool exists(const char *path);
int count_of(const char *text, const char *part);

/* A map of different numbers between 0 and 1. */
Tensor *map_of(int64_t rows, int64_t columns);

/* Are all elements of an SVG closed in order, all attributes quoted, and is there no stray '<'? */
bool well_formed(const char *svg);

/* The number of its text elements with exactly this text. */
int svg_texts(const char *svg, const char *want);

#endif
