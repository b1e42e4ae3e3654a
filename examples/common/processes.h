/* processes.h: an example that several processes train together, started by mpirun or srun.
 *
 * Each process has all weights and a part of every batch (nn.h, "one batch on several processes").
 * Only that of rank 0 prints and writes files; the others end with the training. */
#ifndef EXAMPLES_PROCESSES_H
#define EXAMPLES_PROCESSES_H

#include "nn/nn.h"

#include "examples/common/example.h"

/* Called once, before the options are read: from now on a failure ends all processes, and one that
 * they have in common is reported once. */
void processes_open(void);

/* Called once, after the options were read. Connects the processes, if there are several, and sets
 * what follows from that: the number of slices and of threads, and silence where the rank is not
 * 0. Ends the program with a message where the options or the build do not fit. */
void processes_begin(Common *c);

/* The processes of the training; NULL where this one is alone. */
const Group *processes_group(void);

/* After the training: returns in the process of rank 0, which goes on alone; in the others the
 * program ends with this status. */
void processes_end(int status);

#endif
