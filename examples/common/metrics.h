/* metrics.h: metrics.tsv, the table of everything that was measured during a run.
 *
 *   # gradus 0.1.0, example vit, seed 1, 2 threads, avx512 kernels
 *   step  split  loss  accuracy  lr  grad_norm  images/s  seconds
 *   1     train  2.31  -         ...
 *
 * Each training step has a row, and so has each evaluation; "-" stands for a missing number. All
 * columns but the last two depend on the options alone. */
#ifndef EXAMPLES_METRICS_H
#define EXAMPLES_METRICS_H

#include "examples/common/example.h"

#include <stdio.h>

enum { METRICS_ALSO = 6 };

typedef struct {
    FILE *file;
    const char *const *also; /* names of the example's own columns; NULL ends them */
    double before;           /* seconds of the run before it was interrupted       */
} Metrics;

/* One row. NaN is written as "-". */
typedef struct {
    int64_t step;
    const char *split;
    double loss;
    const double *also; /* one for each name; NULL: none was measured          */
    double rate, grad_norm;
    double speed, seconds;
} MetricsRow;

/* Begins a new table or, in a run that continues after step `step` > 0, truncates the old one to
 * that step. */
bool metrics_open(Metrics *m, const char *path, const Common *c, const char *const *also,
                  const char *unit, int64_t step);
void metrics_row(Metrics *m, const MetricsRow *row);
/* Closes the table. Returns false with an error if not all of it could be written. */
bool metrics_close(Metrics *m);

/* Reads one column of one split as at most METRICS_POINTS points; each is the mean of a number of
 * rows. */
enum { METRICS_POINTS = 200 };
typedef struct {
    int count;
    double step[METRICS_POINTS], value[METRICS_POINTS];
} MetricsSeries;
bool metrics_read(const char *path, const char *split, const char *column, MetricsSeries *s);

#ifndef GRADUS_INSIDE
#define metrics_open(...)  EXAMPLE_PLACED(metrics_open, __VA_ARGS__)
#define metrics_close(...) EXAMPLE_PLACED(metrics_close, __VA_ARGS__)
#define metrics_read(...)  EXAMPLE_PLACED(metrics_read, __VA_ARGS__)
#endif

#endif
