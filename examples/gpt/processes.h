/* processes.h: training the GPT with several processes, started by mpirun or srun.
 *
 * Each process has all weights and a part of every batch (nn/slices.h). Only that of rank 0 prints
 * and writes files; the others end with the training. */
#ifndef GPT_PROCESSES_H
#define GPT_PROCESSES_H

#include "examples/common/run.h"
#include "nn/slices.h"

/* Called once, before the options are read: from now on a failure ends all processes, and one that
 * they have in common is reported once. */
void processes_open(void);

/* Called once, after the options were read. Connects the processes, if there are several, and sets
 * what follows from that: the number of slices and of threads, and silence where the rank is not
 * 0. Ends the program with a message where the options or the build do not fit. */
void processes_begin(Common *c, int *slices);

/* The gradient of a batch of so many examples in slices; replaces reset, forward, loss and backward
 * of a training step. loss_of: the mean over examples from .. from + count - 1, on the run's tape,
 * which is reset already. Returns the loss of the batch, or NaN after an error. */
typedef Tensor *PartLoss(void *context, int from, int count);
double processes_gradient(Run *r, int slices, int batch, PartLoss *loss_of, void *context);

/* Is the rank of this process not 0? */
bool processes_silent(void);

/* After the training: the processes of other ranks than 0 end; that of rank 0 returns and goes on
 * alone. */
void processes_end(void);

#endif
