/* mpi.c: see gradus_mpi.h. */
#include "nn/mpi/gradus_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { WAIT = 4 /* seconds */ };

static bool check(int code, const char *who)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    return tensor_fail("%s: MPI reports '%s'; expected an exchange with every process", who, text);
}

static bool exchange(void *context, int with, const real *send, int64_t sent, real *receive,
                     int64_t received)
{
    const MPI_Datatype type = sizeof(real) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
    (void)context;
    if (sent > INT_MAX || received > INT_MAX)
        return tensor_fail("nn_slices_gradient: an exchange of %lld numbers; expected at most %d",
                           (long long)(sent > received ? sent : received), INT_MAX);
    return check(MPI_Sendrecv(send, (int)sent, type, with, 0, receive, (int)received, type, with, 0,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 "nn_slices_gradient");
}

static bool leave(void)
{
    return check(MPI_Finalize(), "leave");
}

/* Once rank 0 has called it, the launcher ends the others, which wait here. */
static void abort_all(int status)
{
    int rank;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank > 0 && sleep(WAIT) > 0)
        _Exit(status); /* a signal has come */
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, status);
}

bool nn_mpi_begin(Group *group)
{
    int given;
    *group = (Group){.size = 1};
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return tensor_fail("nn_mpi_begin: MPI_Init failed; expected to be started by the mpirun "
                           "of the MPI that gradus was built with");
    *group = (Group){.exchange = exchange, .leave = leave, .abort = abort_all};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return check(MPI_Comm_rank(MPI_COMM_WORLD, &group->rank), "nn_mpi_begin") &&
           check(MPI_Comm_size(MPI_COMM_WORLD, &group->size), "nn_mpi_begin");
}
