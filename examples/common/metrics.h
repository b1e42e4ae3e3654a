/* metrics.h: what was measured in a run, as a table that any program reads: metrics.tsv.
 *
 *   # gradus 0.1.0, example vit, seed 1, 2 threads, avx512 kernels
 *   step  split  loss  accuracy  lr  grad_norm  images/s  seconds
 *   1     train  2.31  -         ...
 *
 * A row for each step of training and one for each measurement beside it; "-" where there is no number.
 * All columns but the last two are a function of the options alone. */
#ifndef EXAMPLES_METRICS_H
#define EXAMPLES_METRICS_H

#include "examples/common/example.h"

#include <stdio.h>

enum { METRICS_ALSO = 6 };

typedef struct {
    FILE *file;
    const char *const *also; /* names of the example's own columns, closed by NULL */
    double before;           /* seconds of the run before it was stopped           */
} Metrics;

/* One row. What is NaN is written as "-". */
typedef struct {
    int64_t step;
    const char *split;
    double loss;
    const double *also; /* as many as there are names; NULL: none was measured */
    double rate, grad_norm;
    double speed, seconds;
} MetricsRow;

/* A new table, or, in a run that goes on after step `step` > 0, the old one without what is later. */
bool metrics_open(Metrics *m, const char *path, const Common *c, const char *const *also,
                  const char *unit, int64_t step);
void metrics_row(Metrics *m, const MetricsRow *row);
/* False, with an error, where the disk did not take it all. */
bool metrics_close(Metrics *m);

/* One column of one split, in at most METRICS_POINTS points: each the mean over as many rows as it takes. */
enum { METRICS_POINTS = 200 };
typedef struct {
    int count;
    double step[METRICS_POINTS], value[METRICS_POINTS];
} MetricsSeries;
bool metrics_read(const char *path, const char *split, const char *column, MetricsSeries *s);

#ifndef GRADUS_INSIDE
#define metrics_open(...)  TENSOR_PLACED_OK(metrics_open(__VA_ARGS__))
#define metrics_close(...) TENSOR_PLACED_OK(metrics_close(__VA_ARGS__))
#define metrics_read(...)  TENSOR_PLACED_OK(metrics_read(__VA_ARGS__))
#endif

#endif
