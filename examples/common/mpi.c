/* mpi.c: MPI for the examples that several processes train; see processes.h. */
#include "examples/common/processes.h"

#ifdef GRADUS_MPI
#include "nn/mpi/gradus_mpi.h"
const ProcessFunctions processes_mpi = {nn_mpi_begin, nn_mpi_end, nn_mpi_abort};
#else
const ProcessFunctions processes_mpi = {0};
#endif
