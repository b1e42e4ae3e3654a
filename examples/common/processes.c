/* processes.c: see processes.h. */
#include "examples/common/processes.h"

#include "tensor/system/system.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLICES = 8, WAIT = 4 /* seconds */ };

static Group group = {.size = 1};
static const ProcessFunctions *connected; /* NULL: not yet, or not any more */
static bool connecting, ended;            /* once it connects, a process may fail alone */

/* The rank that the launcher of MPI has announced in the environment, and *size, the number of
 * processes; 0 and 0 without a launcher. */
static int announced_rank(int *size)
{
    static const char *const names[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI       */
        {"PMI_SIZE", "PMI_RANK"},                         /* MPICH          */
        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},         /* srun           */
    };
    *size = 0;
    for (int i = 0; i < 3; i++)
        if (getenv(names[i][0])) {
            const char *rank = getenv(names[i][1]);
            *size = atoi(getenv(names[i][0]));
            return rank ? atoi(rank) : 0;
        }
    return 0;
}

const Group *processes_group(void)
{
    return group.size > 1 ? &group : NULL;
}

/* The program ends before the training is over: the others would wait for ever. Messages of another
 * process than that of rank 0 are in the buffer of stderr. While the options are read, which are
 * the same in all, it discards them. Later it waits: if that of rank 0 has the same failure, its
 * message is the only one, since the launcher then ends the others. */
static void end_all(void)
{
    int size;
    if (ended)
        return;
    if (announced_rank(&size) > 0 && (!connecting || !system_sleep(WAIT)))
        _Exit(options_given("help") ? 0 : 2);
    fflush(stderr);
    if (connected)
        connected->abort(1);
}

void processes_open(void)
{
    int size;
    if (announced_rank(&size) > 0)
        setvbuf(stderr, NULL, _IOFBF, BUFSIZ);
    atexit(end_all);
}

static void connect(int announced, Common *c)
{
    int neighbours = 1;
    connecting = true;
    if (!c->processes->begin(&group, &neighbours))
        options_refuse("%s", tensor_error());
    connected = c->processes;
    if (group.size != announced)
        options_refuse("found %d processes, of which MPI connects %d; expected to be started by "
                       "the mpirun of the MPI that gradus was built with (meson -Dmpi)",
                       announced, group.size);
    if (c->threads == 0 && neighbours > 1) {
        const int own = system_processors() / neighbours;
        c->threads = own > 1 ? own : 1;
    }
    if (group.rank > 0) {
        c->quiet = true;
        if (!freopen("/dev/null", "w", stdout))
            options_refuse("/dev/null cannot be opened; expected it to be there");
    }
}

static void disconnect(void)
{
    const ProcessFunctions *functions = connected;
    connected = NULL;
    ended = true;
    if (functions && !functions->end())
        fprintf(stderr, "%s\n", tensor_error());
}

void processes_begin(Common *c)
{
    int announced;
    const char *untrained = c->load ? "load" : c->trace ? "trace" : NULL;
    announced_rank(&announced);
    if (announced > 1 && !c->processes)
        options_refuse("found %d processes; expected one: only gpt, bert, vit, classify and "
                       "translate are trained by several",
                       announced);
    if (announced > 1 && !c->processes->begin)
        options_refuse("found %d processes; expected one, since gradus was built without MPI "
                       "(install libopenmpi-dev or libmpich-dev, then ./gradus clean)",
                       announced);
    if (untrained && (announced > 1 || c->slices > 0))
        options_refuse("--%s: found %s beside it; expected one process and a whole batch, since "
                       "nothing is trained",
                       untrained, announced > 1 ? "several processes" : "--slices");
    if (c->slices & (c->slices - 1))
        options_refuse("--slices: found %d; expected a power of two", c->slices);
    if (announced == 0 || !c->processes)
        return;
    if (c->slices == 0)
        c->slices = SLICES;
    if (c->processes->begin && !untrained)
        connect(announced, c);
}

void processes_end(int status)
{
    const int rank = group.rank;
    disconnect();
    group = (Group){.size = 1};
    if (rank > 0)
        exit(status);
}
