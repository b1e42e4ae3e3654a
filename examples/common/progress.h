/* progress.h: the progress of a long loop on standard error: on a terminal a bar, redrawn at most
 * ten times a second and without colour if NO_COLOR is set; elsewhere a line for each tenth, and
 * after 4 s without one; nothing with --quiet. */
#ifndef EXAMPLES_PROGRESS_H
#define EXAMPLES_PROGRESS_H

#include "tensor/tensor.h"

typedef struct {
    const char *what;
    int64_t total;
    bool quiet, terminal, colour;
    double began, shown; /* seconds */
    int64_t tenth;       /* tenths that have been reported as a line       */
    int64_t first;       /* steps done before the loop began                     */
    const char *unit;    /* of the speed: "steps", or the items of a step      */
    double per_step;     /* items in a step                                    */
} Progress;

Progress progress_begin(const char *what, int64_t total, bool quiet);
/* Reports step `done` of total, with a printf-style text beside the bar. */
void progress_show(Progress *p, int64_t done, const char *format, ...) GRADUS_PRINTF(3, 4);
/* Removes the bar and returns the seconds since the beginning. */
double progress_end(Progress *p);

/* Seconds on a monotonic clock. */
double seconds(void);

#endif
