/* mpi.c: see gradus_mpi.h. An exchange is an MPI_Irecv and an MPI_Isend, with its number as their
 * tag; MPI moves the numbers while the program computes, or when the program asks whether the
 * exchange has ended. */
#include "nn/mpi/gradus_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXCHANGES = 4096, WAIT = 4 /* seconds */ };

/* Of the exchanges that are under way: what is received, and what is sent. */
static MPI_Request under_way[EXCHANGES][2];

static bool check(int code, const char *who)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    return tensor_fail("%s: MPI reports '%s'; expected an exchange with every process", who, text);
}

static bool begin(void *context, int number, int with, const real *send, int64_t sent,
                  real *receive, int64_t received)
{
    const MPI_Datatype type = sizeof(real) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
    (void)context;
    if (number < 0 || number >= EXCHANGES || sent > INT_MAX || received > INT_MAX)
        return tensor_fail(
            "nn_slices_gradient: exchange %d has %lld numbers; expected fewer than %d "
            "exchanges of at most %d",
            number, (long long)(sent > received ? sent : received), EXCHANGES, INT_MAX);
    MPI_Request *r = under_way[number];
    return check(MPI_Irecv(receive, (int)received, type, with, number, MPI_COMM_WORLD, &r[0]),
                 "nn_slices_gradient") &&
           check(MPI_Isend(send, (int)sent, type, with, number, MPI_COMM_WORLD, &r[1]),
                 "nn_slices_gradient");
}

static bool ended(void *context, int number, bool wait, bool *has_ended)
{
    int all = 1;
    MPI_Status status[2];
    int code = wait ? MPI_Waitall(2, under_way[number], status)
                    : MPI_Testall(2, under_way[number], &all, status);
    (void)context;
    *has_ended = all;
    return check(code, "nn_slices_gradient");
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
    *group = (Group){.begin = begin, .ended = ended, .leave = leave, .abort = abort_all};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return check(MPI_Comm_rank(MPI_COMM_WORLD, &group->rank), "nn_mpi_begin") &&
           check(MPI_Comm_size(MPI_COMM_WORLD, &group->size), "nn_mpi_begin");
}
