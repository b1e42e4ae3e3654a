/* processes.c: see processes.h. */
#include "examples/common/processes.h"

#include "tensor/system/system.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLICES = 8 };

static Group group = {.size = 1};
static bool ended; /* the training */

/* What the launcher of MPI announces in the environment: the number of processes, the rank of this
 * one, or how many of them are on this machine. 0: there is no launcher, or it does not say. */
enum { SIZE, RANK, HERE };
static int announced(int what)
{
    static const char *const names[][3] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        {"PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"},    /* MPICH */
        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", NULL}, /* srun, which gives each its processors */
    };
    for (int i = 0; i < 3; i++)
        if (getenv(names[i][SIZE])) {
            const char *number = names[i][what] ? getenv(names[i][what]) : NULL;
            return number ? atoi(number) : 0;
        }
    return 0;
}

const Group *processes_group(void)
{
    return group.size > 1 ? &group : NULL;
}

/* The program ends before the training is over: the others would wait for ever. Until processes are
 * connected, all have the same failure, which that of rank 0 reports. */
static void end_all(void)
{
    if (ended)
        return;
    if (announced(RANK) > 0 && group.size == 1)
        _Exit(options_given("help") ? 0 : 2);
    if (group.abort)
        group.abort(1);
}

void processes_open(void)
{
    if (announced(RANK) > 0)
        setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
    atexit(end_all);
}

static void connect(Common *c)
{
    if (!c->processes(&group))
        options_refuse("%s", tensor_error());
    if (group.size != announced(SIZE))
        options_refuse("found %d processes, of which MPI connects %d; expected to be started by "
                       "the mpirun of the MPI that gradus was built with (meson -Dmpi)",
                       announced(SIZE), group.size);
    if (c->threads == 0 && announced(HERE) > 1) {
        const int own = system_processors() / announced(HERE);
        c->threads = own > 1 ? own : 1;
    }
    if (group.rank > 0) {
        c->quiet = true;
        if (!freopen("/dev/null", "w", stdout))
            options_refuse("/dev/null cannot be opened; expected it to be there");
    }
}

void processes_begin(Common *c)
{
    const int size = announced(SIZE);
    const char *untrained = c->load ? "load" : c->trace ? "trace" : NULL;
    if (size > 1 && !c->processes)
        options_refuse("found %d processes; expected one: only gpt, bert, vit, classify and "
                       "translate are trained by several",
                       size);
    if (untrained && (size > 1 || c->slices > 0))
        options_refuse("--%s: found %s beside it; expected one process and a whole batch, since "
                       "nothing is trained",
                       untrained, size > 1 ? "several processes" : "--slices");
    if (c->slices & (c->slices - 1))
        options_refuse("--slices: found %d; expected a power of two", c->slices);
    if (size > 0 && c->processes && c->slices == 0)
        c->slices = SLICES;
    if (size > 1)
        connect(c);
}

void processes_end(int status)
{
    const int rank = group.rank;
    ended = true;
    if (group.leave && !group.leave())
        fprintf(stderr, "%s\n", tensor_error());
    group = (Group){.size = 1};
    if (rank > 0)
        exit(status);
}
