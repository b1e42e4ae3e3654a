/* gradus_mpi.h: a Group (nn.h) whose processes were started by MPI: mpirun, mpiexec or srun.
 *
 * A library of its own, gradus-mpi, so that the rest depends on no MPI. It calls the C interface
 * of the MPI standard, version 3, alone. One thread of the process calls these functions. */
#ifndef GRADUS_MPI_H
#define GRADUS_MPI_H

#include "nn/nn.h"

/* Initialises MPI and describes its processes. neighbours, unless NULL: how many of them, this one
 * included, run on this machine. Call it once. Error: MPI could not be initialised. */
GRADUS_API bool nn_mpi_begin(Group *group, int *neighbours);

/* Waits until every process has called it. False, with an error, where MPI fails. */
GRADUS_API bool nn_mpi_end(void);

/* Ends all processes of the group with this exit status, this one included: after an error, since
 * the other processes would wait for it for ever. The one function of gradus that ends a
 * process. */
GRADUS_API void nn_mpi_abort(int status);

#endif
