/* mpi.c: MPI for the examples that several processes train; see processes.h. */
#include "examples/common/processes.h"

#ifdef GRADUS_MPI
#include "nn/mpi/gradus_mpi.h"
#endif

bool processes_mpi(Group *group)
{
#ifdef GRADUS_MPI
    return nn_mpi_begin(group);
#else
    (void)group;
    return tensor_fail("found several processes; expected one, since gradus was built without MPI "
                       "(install libopenmpi-dev or libmpich-dev, then ./gradus clean)");
#endif
}
