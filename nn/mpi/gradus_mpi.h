/* gradus_mpi.h: a Group (nn.h) whose processes were started by MPI: mpirun, mpiexec or srun.
 *
 * A library of its own, gradus-mpi, so that the rest depends on no MPI. It calls the C interface
 * of the MPI standard, version 3, alone. One thread of the process calls these functions. */
#ifndef GRADUS_MPI_H
#define GRADUS_MPI_H

#include "nn/slices.h"

/* Initialises MPI and describes its processes; group->leave and abort end it. In abort, a process
 * of another rank than 0 first waits 4 s: where rank 0 fails as well, its message is then the only
 * one, if the others' stderr has a buffer. Call it once. Error: MPI could not be initialised. */
GRADUS_API bool nn_mpi_begin(Group *group);

#include "placed/gradus_mpi.h" /* macros: an error names the program's line */
#endif
