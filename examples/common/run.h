/* run.h: everything around a training loop: progress bar, metrics.tsv, learning curve, Ctrl-C and
 * --resume.
 *
 * example.h shows such a loop. A run has the tape and Adam of its steps. `state` has to contain all
 * else that a step depends on besides the options: the weights, the Rngs that draw the data, and
 * possibly a cursor. An interrupted and resumed run then gives the same bits as an uninterrupted
 * one. */
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
    const char *what;                   /* the title of the bar; NULL: "training"            */
    const char *unit;                   /* of the speed; NULL: "steps"                       */
    double per_step;                    /* units in a step; 0: 1                              */
    const char *also[METRICS_ALSO + 1]; /* the example's own columns: {"accuracy"}           */
    const char *y_name;                 /* of the learning curve; NULL: "loss"               */
    /* "tune": metrics-tune.tsv and learning-tune.png of a second training in the same program;
     * it writes no checkpoint, and is not resumed. NULL: the main run */
    const char *part;
    bool unsaved; /* one run of an ablation: it writes no file and prints only the bar           */
    /* This process is one of several, which agree on when to stop: the program sets `stop`. */
    bool several;
    bool silent;           /* it writes no file: another one does, which alone calls run_end */
    double decay;          /* of the weights, as AdamW has it; 0: Adam without decay            */
    double beta2, epsilon; /* of Adam; 0: those of adam_init                                    */
    /* What a checkpoint contains, but for its step. Where it has no tape or no optimiser, run_begin
     * makes them, with the seed and the rate of the options, for training; run_end frees these. */
    Checkpoint state;

    /* To read: the number of steps done; during a step, its number from 0. */
    int64_t step;
    bool stop;  /* the loop ends before the next step, as after Ctrl-C or SIGTERM */
    Tape *tape; /* what run_begin has made; the Run does not move until run_end */
    Adam adam;

    /* Private to run.c. */
    Progress progress;
    Metrics metrics;
    double shown, last;
    const char *split[RUN_SPLITS];
    int splits;
} Run;

/* Makes tape and optimiser, opens metrics.tsv and, with --resume, loads the checkpoint first. Where
 * one of these fails, it frees them and returns false with an error. */
bool run_begin(Run *r);

/* Is there another step? Returns false at the end, and after Ctrl-C or SIGTERM, which end the loop
 * between steps. */
bool run_more(const Run *r);

/* Has Ctrl-C or SIGTERM asked for the end? */
bool run_interrupted(void);

/* Records a step. grad_norm: the norm of the gradient before clipping, or NaN. also: the numbers of
 * the example's own columns, or NULL. */
void run_step(Run *r, double loss, double grad_norm, const double *also);

/* Is an evaluation due after this step? This is true `times` times in a run, evenly spaced, the
 * last at the end. */
bool run_due(const Run *r, int64_t times);

/* Records an evaluation, such as on held-out data; `split` names it and must be a string
 * literal. */
void run_measure(Run *r, const char *split, double loss, const double *also);

/* Ends the run: prints its time and draws learning.png, .svg and .pdf. After Ctrl-C it saves the
 * checkpoint instead, prints the command that continues, and ends the program with status 128 + the
 * signal's number. Returns false with an error if the loop ended early or a file could not be
 * written. */
bool run_end(Run *r);

#ifndef GRADUS_INSIDE
#define run_begin(...) EXAMPLE_PLACED(run_begin, __VA_ARGS__)
#define run_end(...)   EXAMPLE_PLACED(run_end, __VA_ARGS__)
#endif

#endif
