/* bars.h: what bars.c and terminal_bars.c share (internal). */
#ifndef GRADUS_PLOT_BARS_H
#define GRADUS_PLOT_BARS_H

#include "plot/internal.h"

/* What the digits of the data file may round. */
#define BARS_SLACK 1.00001

/* The ends of the scale, of which 0 is one or lies between them, and the bars of each name. */
typedef struct {
    double low, high;
    int series;
} BarScale;

/* Checks the caller's groups and finds their common scale. False, with an error that begins with
 * `who`. */
bool plot_bars_scale(const PlotBars *groups, int count, const char *who, BarScale *scale);

#endif
