/* progress.h: how far a long loop is: a bar on a terminal (standard error, at most ten times a second,
 * plain with NO_COLOR), a line now and then elsewhere, nothing when quiet. */
#ifndef EXAMPLES_PROGRESS_H
#define EXAMPLES_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *what;
    int64_t total;
    bool quiet, terminal, colour;
    double began, shown; /* seconds */
    int64_t tenth;       /* tenths of the way that were reported as a line */
    int64_t first;       /* steps that were done before it began                 */
    const char *unit;    /* of the speed: "steps", or what a step takes ...     */
    double per_step;     /* ... so many of                                      */
} Progress;

Progress progress_begin(const char *what, int64_t total, bool quiet);
/* After step `done` of total; printf-style: what to say beside the bar. */
void progress_show(Progress *p, int64_t done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the bar away. Returns the seconds since the beginning. */
double progress_end(Progress *p);

/* Seconds on a clock that only goes forward. */
double seconds(void);

#endif
