/* example.h: what all examples share, and how one is made.
 *
 * An example is a folder examples/NAME with
 *   NAME.c      main: the options, then what is done in order
 *   model.h, .c the model, read in one sitting: struct, init, forward
 *   train.c     the training loop, whole: batch, forward, loss, backward, step
 *   README.md   its first line of text is what `./gradus example` lists
 * and a row in meson.build's `examples`. Everything around the loop comes from here:
 *   example.h   options that all have (--seed ... --quiet)
 *   options.h   its own options, as a table
 *   run.h       the bar, metrics.tsv, the learning curve, Ctrl-C and --resume
 *   trace.h     --trace: the first step, op by op
 *   store.h     --save and --load: weights with the numbers that say of which model
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
 * and the loop, in the example's own file:
 *
 *     Run run = {.common = c, .total = example_steps(c, per_epoch), .unit = "images", .per_step = B,
 *                .also = {"accuracy"},
 *                .state = {.params = p, .adam = &adam, .tape = tape, .rng = &rng, .rngs = 1}};
 *     if (!run_begin(&run))
 *         return false;
 *     while (run_more(&run)) {
 *         adam.rate = nn_one_cycle(run.step, run.total, c->rate);
 *         ... a batch, as a function of run.step and of the Rngs in state alone ...
 *         tape_reset(tape);
 *         Tensor *loss = ag_cross_entropy(model_logits(m, tape_input(...)), tape_ids(...));
 *         if (!ag_backward(loss))
 *             break;
 *         double norm = params_clip_grad(p, 1);
 *         if (!adam_step(&adam, p))
 *             break;
 *         run_step(&run, tensor_item(loss), norm, NULL);
 *         if (run_due(&run, 20))   // twenty times on the way
 *             run_measure(&run, "test", test_loss, (double[]){accuracy});
 *     }
 *     return run_end(&run);
 *
 * A run is a function of its options alone: never of the time, nor of the number of threads. */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include "examples/common/options.h"

#include <stddef.h>
#include <stdint.h>

/* What the command line of every example can say. An example sets the defaults before example_begin. */
typedef struct {
    int seed, threads;       /* threads 0: as many as there are                                */
    int epochs;              /* at first 0: this example counts in steps, and has no --epochs */
    int steps;               /* 0: as many as the example, or its epochs, take                */
    double rate;             /* the highest learning rate                                     */
    const char *out;         /* the folder of pictures, metrics and checkpoint                */
    const char *save, *load; /* a file of weights; NULL for none                              */
    const char *resume;      /* a checkpoint to go on from; NULL for none                     */
    const char *trace;       /* print the first step in a lecture's symbols and end; or NULL  */
    bool quiet;
    const char *name; /* "vit", of the program example-vit; set by example_begin       */
    int argc;
    char **argv;
} Common;

/* Reads the command line by the example's own table (closed by {0}) and the common one, has a failure in
 * the library end the program, and sets the number of threads. */
void example_begin(int argc, char **argv, const char *about, Common *c, const Option *own);

/* Steps of a run with so many in an epoch: --steps where it was given, else all epochs. */
int64_t example_steps(const Common *c, int64_t per_epoch);

/* Writes the command line that goes on from a checkpoint, quoted for a shell. Returns text. */
const char *example_resume_command(const Common *c, const char *checkpoint, char *text,
                                   size_t size);

/* "out/vit/metrics.tsv": a file in --out. Returns path, of EXAMPLE_PATH bytes. */
enum { EXAMPLE_PATH = 512 };
const char *example_path(const Common *c, const char *name, char *path);

/* A failure of the example's own, as tensor_fail, with this place in its source. Needs gradus.h. */
#define example_fail(...) TENSOR_PLACED_OK(tensor_fail(__VA_ARGS__))

#endif
