/* example.h: what all examples share, and how to write one.
 *
 * An example is a folder examples/NAME with
 *   NAME.c      main: the options, then the steps of the program in order
 *   model.h, .c the model: struct, init, forward
 *   train.c     the complete training loop: batch, forward, loss, backward, optimiser step
 *   README.md   `./gradus example` lists its first line of text
 * and a row in meson.build's `examples`. The files of examples/common do the rest:
 *   example.h   the options of every example (--seed ... --quiet)
 *   options.h   a table of the example's own options
 *   run.h       progress bar, metrics.tsv, learning curve, Ctrl-C and --resume
 *   trace.h     --trace: the first step, op by op
 *   html.h      --html: attention maps as a page for a browser
 *   store.h     --save and --load: weights, with the configuration of their model
 *
 *     int main(int argc, char **argv)
 *     {
 *         Settings s = {.common = {.seed = 1, .epochs = 20, .rate = 1e-3, .out = "out/name"}};
 *         const Option own[] = {
 *             {"heads", OPTION_INT, &s.heads, "N", "of each block", 1, 64},
 *             {0},
 *         };
 *         example_begin(argc, argv, "Trains a ...", &s.common, own);
 *         Params *p = params_new((uint64_t)s.common.seed);
 *         bool ok = p && ...;
 *         params_free(p);
 *         return ok ? 0 : 1;
 *     }
 *
 * and the training step and its loop, in the example's own file:
 *
 *    static double train_step(const Model *m, Params *p, Adam *adam, Tape *tape, const Batch *b,
 *                             double *norm)
 *    {
 *        tape_reset(tape);
 *        Tensor *logits = model_logits(m, tape_input(tape, b->x, ...));
 *        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, b->labels, ...));
 *        if (!ag_backward(loss))
 *            return (double)NAN;
 *        *norm = params_clip_grad(p, 1);
 *        return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
 *    }
 *
 *    Run run = {.common = c, .total = example_steps(c, per_epoch), .unit = "images", .per_step = B,
 *               .also = {"accuracy"},
 *               .decay = 0.01,
 *               .state = {.params = p, .rng = &rng, .rngs = 1}};
 *    if (!run_begin(&run))
 *        return false;
 *    while (run_more(&run)) {
 *        run.adam.rate = nn_one_cycle(run.step, run.total, c->rate);
 *        ... a batch, as a function of run.step and of the Rngs in state alone ...
 *        double norm, loss = train_step(m, p, &run.adam, run.tape, &batch, &norm);
 *        if (isnan(loss))
 *            break;
 *        run_step(&run, loss, norm, NULL);
 *        if (run_due(&run, 20))   // twenty times in a run
 *            run_measure(&run, "test", test_loss, (double[]){accuracy});
 *    }
 *    return run_end(&run);
 *
 * The results of a run depend on its options alone, not on the time or on the number of threads. */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include "autograd/autograd.h"
#include "examples/common/look.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The options of every example. An example sets their defaults before it calls example_begin; one
 * that trains nothing leaves rate 0, and has no --epochs, --steps, --lr, --save,
 * --load and --resume. */
typedef struct {
    int seed, threads;       /* threads 0: one for each processor that the process may use   */
    int epochs;              /* default 0: the example counts steps and has no --epochs       */
    int steps;               /* 0: those of its epochs                                       */
    double rate;             /* the highest learning rate; 0: the example trains nothing      */
    const char *out;         /* the folder for pictures, metrics and the checkpoint           */
    const char *save, *load; /* a file of weights; NULL for none                              */
    const char *resume;      /* a checkpoint to continue from; NULL for none                  */
    const char *trace;       /* print the first step in a lecture's symbols, then end; or NULL */
    const char *pages; /* the files that --html writes; NULL: the example has no --html      */
    int checkpoint;    /* steps between two checkpoints; 0: one after Ctrl-C alone              */
    bool html;
    bool quiet;
    LookOptions
        look; /* of pictures; an example that trains nothing and draws none has no_pictures */
    bool no_pictures;
    const char *name; /* "vit" for the program example-vit; set by example_begin        */
    int argc;
    char **argv;
} Common;

/* Reads the command line with the example's own table of options (terminated by {0}) and the common
 * one, installs the error handler that prints a failure and ends the program, and sets the number
 * of threads. */
void example_begin(int argc, char **argv, const char *about, Common *c, const Option *own);

/* The number of steps of a run with `per_epoch` steps an epoch: --steps if it was given, else all
 * epochs. */
int64_t example_steps(const Common *c, int64_t per_epoch);

/* Writes the command line that continues from a checkpoint, quoted for a shell. */
void example_resume_command(FILE *out, const Common *c, const char *checkpoint);

/* Writes the path of a file in --out, such as "out/vit/metrics.tsv". Returns path, of EXAMPLE_PATH
 * bytes. */
enum { EXAMPLE_PATH = 512 };
const char *example_path(const Common *c, const char *name, char *path);

/* Writes the name of what a module computed, whose path has %d in place of the layer or none:
 * "blocks.%d.attn" and "A" give "blocks.1.attn.A". Returns name, of TENSOR_NAME_MAX bytes. */
const char *example_name(const char *path, int layer, const char *part, char *name);

/* What has that name, in pass number `pass` of this tape, from 0: a model that was called twice
 * since the last reset has the passes 0 and 1. Poison, with an error, where there is none. */
Tensor *example_find(Tape *tape, const char *path, int layer, const char *part, int pass);

/* The attention maps "A" of all layers, after a pass with tape->keep_maps. False with an error. */
bool example_maps(Tape *tape, const char *path, int layers, int pass, const Tensor **maps);

/* What the functions of plot write here: "pictures (png, svg, pdf), scripts and tables"; without
 * gnuplot no pictures. */
const char *example_written(void);

/* Memory of so many bytes, all 0, which free releases. NULL, with an error that has this function's
 * name and source location, when there is none. */
#define example_alloc(bytes) example_take(bytes, __func__, __FILE__, __LINE__)
void *example_take(size_t bytes, const char *function, const char *file, int line);

/* Reports a failure of the example itself, with this source location, as tensor_fail does. An error
 * is one line, "subject: what was found; what was expected"; the subject is a function, or the file
 * or option that the user gave. */
#define example_fail(...) tensor_placed_ok(tensor_fail(__VA_ARGS__), NULL, __FILE__, __LINE__)

/* A call of a function that the examples share, with the source location of the call in its error.
 * Unlike TENSOR_PLACED_OK it adds no name: the error begins with that of the function, or of the
 * library's that it called. */
#define EXAMPLE_PLACED(fn, ...) tensor_placed_ok(fn(__VA_ARGS__), NULL, __FILE__, __LINE__)

/* What --trace=LECTURE does: the first step is printed (plot/tape/trace.h), then the program ends
 * with status 0. Any other value than "", V, B, H, Z and J ends it with status 2. */
void example_trace(const char *lecture);

#endif
