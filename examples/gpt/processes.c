/* processes.c: see processes.h. */
#include "examples/gpt/processes.h"

#include "tensor/system/system.h"
#ifdef GRADUS_MPI
#include "nn/mpi/gradus_mpi.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLICES = 8 };

static Group group = {.size = 1};
static Slices all;
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

static bool begin_mpi(void)
{
#ifdef GRADUS_MPI
    return nn_mpi_begin(&group);
#else
    return tensor_fail("found several processes; expected one, since gradus was built without MPI "
                       "(install libopenmpi-dev or libmpich-dev, then ./gradus clean)");
#endif
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
    if (!begin_mpi())
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

void processes_begin(Common *c, int *slices)
{
    const int size = announced(SIZE);
    const char *untrained = c->load ? "load" : c->trace ? "trace" : NULL;
    if (untrained && (size > 1 || *slices > 0))
        options_refuse("--%s: found %s beside it; expected one process and a whole batch, since "
                       "nothing is trained",
                       untrained, size > 1 ? "several processes" : "--slices");
    if (*slices & (*slices - 1))
        options_refuse("--slices: found %d; expected a power of two", *slices);
    if (size > 0 && *slices == 0)
        *slices = SLICES;
    if (size > 1)
        connect(c);
    tensor_set_threads(c->threads);
}

/* ---- a step ---------------------------------------------------------------------------------- */

typedef struct {
    Run *run;
    int batch;
    PartLoss *loss_of;
    void *context;
} Step;

/* What a slice drops depends on its number in the run, so that any process can compute it. */
static Tensor *slice_loss(void *context, int slice)
{
    const Step *s = context;
    Tape *tape = s->run->state.tape;
    const int from = (int)((int64_t)slice * s->batch / all.slices),
              end = (int)((int64_t)(slice + 1) * s->batch / all.slices);
    tape_reset(tape);
    tape->step = (uint64_t)(s->run->step * all.slices + slice);
    Tensor *mean = s->loss_of(s->context, from, end - from);
    return ag_scale(mean, (real)(end - from) / (real)s->batch);
}

double processes_gradient(Run *r, int slices, int batch, PartLoss *loss_of, void *context)
{
    if (!all.inside && !nn_slices_init(&all, r->state.params, &group, slices))
        return (double)NAN;
    if (batch < slices) {
        tensor_fail(
            "processes_gradient: found %d slices of a batch of %d; expected at most as many "
            "(--slices)",
            slices, batch);
        return (double)NAN;
    }
    Step step = {r, batch, loss_of, context};
    all.stop = run_interrupted();
    if (!nn_slices_gradient(&all, slice_loss, &step))
        return (double)NAN;
    r->state.tape->step = (uint64_t)((r->step + 1) * slices);
    r->stop = all.stop;
    return all.loss;
}

bool processes_silent(void)
{
    return group.rank > 0;
}

void processes_end(void)
{
    const int rank = group.rank;
    ended = true;
    nn_slices_free(&all);
    if (group.leave && !group.leave())
        fprintf(stderr, "%s\n", tensor_error());
    group = (Group){.size = 1};
    if (rank > 0)
        exit(0);
}
