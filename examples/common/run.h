/* run.h: what surrounds a training loop: the bar, metrics.tsv, the learning curve, Ctrl-C and --resume.
 *
 * example.h shows the loop. What a step needs besides the options must be in `state`: the weights, the
 * optimiser, the tape (whose seed and step decide what dropout drops), the Rngs that draw the data, and,
 * where it helps, a cursor. Then a run that was stopped and resumed is bit for bit the one that never was. */
#ifndef EXAMPLES_RUN_H
#define EXAMPLES_RUN_H

#include "examples/common/metrics.h"
#include "examples/common/progress.h"
#include "gradus.h"

enum { RUN_SPLITS = 3 };

typedef struct {
    /* Set before run_begin. */
    const Common *common;
    int64_t total;                      /* steps                                             */
    const char *what;                   /* beside the bar; NULL: "training"                  */
    const char *unit;                   /* of the speed; NULL: "steps"                       */
    double per_step;                    /* how many of them a step takes; 0: 1               */
    const char *also[METRICS_ALSO + 1]; /* further columns: {"accuracy"}                     */
    const char *y_name;                 /* of the learning curve; NULL: "loss"               */
    const char *
        part; /* "tune": metrics-tune.tsv and learning-tune.png of a run beside the main one; it leaves
                       * no checkpoint, and is not resumed. NULL: the main run                      */
    bool unsaved; /* one of many, such as an ablation's: no file, no line; only the bar         */
    Checkpoint
        state; /* what a checkpoint holds; its step is set here                              */

    /* To read: steps done so far. While a step is made, its number from 0. */
    int64_t step;

    /* run.c's own. */
    Progress progress;
    Metrics metrics;
    double shown, last;
    const char *split[RUN_SPLITS];
    int splits;
} Run;

/* Opens the table; with --resume, takes the checkpoint first. False, with an error, where that fails. */
bool run_begin(Run *r);

/* Is there another step to make? Not at the end, and not after Ctrl-C or SIGTERM: the loop ends then between
 * two steps. */
bool run_more(const Run *r);

/* A step was made. grad_norm: the gradient's length before clipping, NaN where it is not known. also: numbers for
 * the further columns, NULL for none. */
void run_step(Run *r, double loss, double grad_norm, const double *also);

/* Is something to be measured after this step? `times` times, evenly spread, the last at the end. */
bool run_due(const Run *r, int64_t times);

/* A measurement beside the training, such as on held-out data; `split` names it and must be a literal. */
void run_measure(Run *r, const char *split, double loss, const double *also);

/* The end: says how long it took and draws learning.png, .svg, .pdf. After Ctrl-C instead: saves the
 * checkpoint, says how to go on, and ends the program with 128 and the signal's number. False, with an
 * error, where the loop broke off or a file could not be written. */
bool run_end(Run *r);

#ifndef GRADUS_INSIDE
#define run_begin(...) TENSOR_PLACED_OK(run_begin(__VA_ARGS__))
#define run_end(...)   TENSOR_PLACED_OK(run_end(__VA_ARGS__))
#endif

#endif
