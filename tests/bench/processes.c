/* processes.c: the times of a training step on this many processes, as one line of numbers:
 *
 *   mpirun -n 2 build/tests/bench/processes babygpt 100
 *   build/tests/bench/processes babygpt 100 2    (one process with two threads)
 *
 * processes slice_s update_s apart_s step_s elapsed_s numbers buckets latency_s bytes_per_s
 * peak_bytes
 *
 * slice_s: forward and backward of one slice; update_s: clipping and AdamW; step_s: all slices of
 * this process, the exchange and the update; apart_s: the same without the exchange, while the
 * other processes compute as much. These are processor time, which other programs disturb little;
 * elapsed_s: of the step, by the clock. Each is the least of so many steps. Latency and bandwidth
 * are those of an exchange between two neighbours, by the clock; peak_bytes: of the memory of this
 * process. scaling.py predicts step_s from the others. */
#include "gradus.h"
#include "nn/mpi/gradus_mpi.h"
#include "tensor/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICES = 8, TRIES = 400, LONG = 1 << 18 };

static double now(void)
{
    return 1e-9 * (double)system_clock();
}

/* Processor time, which counts waiting for another process as well: MPI asks again and again. */
static double used(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void keep_less(double *least, double x)
{
    if (*least <= 0 || x < *least)
        *least = x;
}

/* Seconds of an exchange of so many numbers with the neighbour. */
static double exchange_seconds(const Group *g, real *send, real *receive, int64_t count)
{
    double least = 0;
    for (int i = 0; i < TRIES; i++) {
        bool ended;
        const double before = now();
        if (!g->begin(g->context, 0, g->rank ^ 1, send, count, receive, count) ||
            !g->ended(g->context, 0, true, &ended))
            return 0;
        keep_less(&least, now() - before);
    }
    return least;
}

typedef struct {
    Gpt model;
    Params *params;
    Tape *tape;
    Adam adam;
    Slices slices;
    int *ids, windows; /* of a slice */
    double slice, update, apart, step, elapsed;
} Bench;

static Tensor *slice_loss(void *context, int slice)
{
    Bench *b = context;
    const int T = b->model.config.longest;
    (void)slice;
    tape_reset(b->tape);
    Tensor *x = tape_ids(b->tape, b->ids, shape2(b->windows, T));
    Tensor *y = tape_ids(b->tape, b->ids + 1, shape2(b->windows, T));
    return ag_scale(ag_cross_entropy(nn_gpt(&b->model, x), y), (real)1 / SLICES);
}

static bool step(Bench *b, double *seconds)
{
    const double began = used(), began_at = now();
    if (!nn_slices_gradient(&b->slices, slice_loss, b))
        return false;
    const double before = used();
    if (seconds == &b->apart)
        keep_less(&b->slice, (before - began) / b->slices.count);
    params_clip_grad(b->params, 1);
    bool ok = adam_step(&b->adam, b->params);
    keep_less(&b->update, used() - before);
    keep_less(seconds, used() - began);
    keep_less(&b->elapsed, now() - began_at);
    return ok;
}

/* group: NULL for this process's slices alone. */
static bool steps_of(Bench *b, const Group *group, int slices, int steps, double *seconds)
{
    bool ok = nn_slices_init(&b->slices, b->params, group, slices);
    b->elapsed = 0;
    for (int i = 0; ok && i < steps; i++)
        ok = step(b, seconds);
    nn_slices_free(&b->slices);
    return ok;
}

static bool run(Bench *b, const Group *g, GptConfig config, int steps)
{
    b->params = params_new(1);
    b->tape = tape_new(1);
    const int count = b->windows * config.longest + 1;
    b->ids = malloc(sizeof *b->ids * (size_t)count);
    for (int i = 0; b->ids && i < count; i++)
        b->ids[i] = (i * 7 + i / 3 + 5 * g->rank) % config.words;
    bool ok = b->ids && b->params && b->tape && nn_gpt_init(&b->model, b->params, "", config) &&
              adamw_init(&b->adam, b->params, 1e-4, 0.1);
    return ok && steps_of(b, NULL, SLICES / g->size, steps, &b->apart) &&
           steps_of(b, g->size > 1 ? g : NULL, SLICES, steps, &b->step);
}

int main(int argc, char **argv)
{
    static Bench b;
    static real send[LONG], receive[LONG];
    GptConfig config = {65, 64, 128, 4, 4, 0, 0};
    Group g;
    const int steps = argc > 2 ? atoi(argv[2]) : 0, threads = argc > 3 ? atoi(argv[3]) : 1;
    b.windows = strcmp(argc > 1 ? argv[1] : "", "gpt2") == 0 ? 1 : 2;
    if (steps > 0 && strcmp(argv[1], "gpt2") == 0)
        config = (GptConfig){50257, 128, 768, 12, 12, 0, 0};
    else if (steps <= 0 || strcmp(argv[1], "babygpt") != 0 || argc > 4 || threads < 1) {
        fprintf(stderr, "usage: mpirun -n N processes babygpt|gpt2 STEPS [THREADS]\n");
        return 2;
    }
    tensor_set_threads(threads);
    if (!nn_mpi_begin(&g) || !run(&b, &g, config, steps)) {
        fprintf(stderr, "%s\n", tensor_error());
        if (g.abort)
            g.abort(1);
        return 1;
    }
    const double latency = g.size > 1 ? exchange_seconds(&g, send, receive, 1) : 0;
    const double large = g.size > 1 ? exchange_seconds(&g, send, receive, LONG) : 0;
    int64_t peak = 0, faults;
    system_usage(&peak, &faults);
    if (g.rank == 0)
        printf("%d\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%lld\t%d\t%.4g\t%.4g\t%lld\n", g.size, b.slice,
               b.update, b.apart, b.step, b.elapsed, (long long)params_size(b.params),
               (int)(params_size(b.params) / LONG) + 2, latency,
               large > latency ? sizeof(real) * LONG / (large - latency) : 0, (long long)peak);
    return g.leave() ? 0 : 1;
}
