/* killed.c: a process that ends with SIGKILL at a moment of which a test counts, in place of the
 * time: at the exchange of this number. It is loaded before MPI (LD_PRELOAD) and stands before
 * MPI_Sendrecv, as MPI's profiling interface provides for.
 *
 *   KILLED_RANK=2 KILLED_AT=117     the process of rank 2 at its 118th MPI_Sendrecv
 *   KILLED_COUNT=FILE               the process of rank 0 writes at its end how many it was */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;

static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atol(text) : -1;
}

int MPI_Sendrecv(const void *numbers, int count, MPI_Datatype type, int to, int tag, void *receive,
                 int received, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm group,
                 MPI_Status *status)
{
    int rank;
    MPI_Comm_rank(group, &rank);
    if (calls++ == number_of("KILLED_AT") && rank == number_of("KILLED_RANK"))
        raise(SIGKILL);
    return PMPI_Sendrecv(numbers, count, type, to, tag, receive, received, receive_type, from,
                         receive_tag, group, status);
}

int MPI_Finalize(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *path = rank == 0 ? getenv("KILLED_COUNT") : NULL;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", calls);
        fclose(file);
    }
    return PMPI_Finalize();
}
