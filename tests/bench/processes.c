/* processes.c: the times of a training step on this many processes, as one line of numbers:
 *
 *   mpirun -n 2 build/tests/bench/processes babygpt
 *
 * processes  slice_s  update_s  step_s  waited_s  numbers  buckets  latency_s  bytes_per_s
 *
 * slice_s: forward and backward of one slice; update_s: the slices' sum without waiting, clipping
 * and AdamW; step_s: all slices of this process, the exchange and the update; waited_s: of it, for
 * other processes. Each is the median over the steps. The last two are those of an exchange between
 * two neighbours. scaling.py predicts step_s from the others. */
#include "gradus.h"
#include "nn/mpi/gradus_mpi.h"
#include "tensor/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 8, STEPS = 15, WINDOWS = 2 /* of a slice */, TRIES = 60, LONG = 1 << 18 };

static double now(void)
{
    return 1e-9 * (double)system_clock();
}

static int ascending(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return x[count / 2];
}

/* Seconds of an exchange of so many numbers with the neighbour. */
static double exchange_seconds(const Group *g, real *send, real *receive, int64_t count)
{
    double took[TRIES];
    for (int i = 0; i < TRIES; i++) {
        bool ended;
        const double before = now();
        if (!g->begin(g->context, 0, g->rank ^ 1, send, count, receive, count) ||
            !g->ended(g->context, 0, true, &ended))
            return 0;
        took[i] = now() - before;
    }
    return median(took, TRIES);
}

typedef struct {
    Gpt model;
    Params *params;
    Tape *tape;
    Adam adam;
    Slices slices;
    int *ids;
    double slice[STEPS * SLICES], update[STEPS], step[STEPS], waited[STEPS];
} Bench;

static bool slice_passes(Bench *b)
{
    const int T = b->model.config.longest;
    tape_reset(b->tape);
    Tensor *x = tape_ids(b->tape, b->ids, shape2(WINDOWS, T));
    Tensor *y = tape_ids(b->tape, b->ids + 1, shape2(WINDOWS, T));
    return nn_slices_backward(&b->slices, ag_cross_entropy(nn_gpt(&b->model, x), y), 1.0 / SLICES);
}

static bool step(Bench *b, int number)
{
    const double began = now(), had_waited = b->slices.waited;
    for (int k = 0; k < b->slices.count; k++) {
        const double before = now();
        if (!slice_passes(b))
            return false;
        b->slice[number * b->slices.count + k] = now() - before;
    }
    const double before = now();
    if (!nn_slices_sum(&b->slices))
        return false;
    params_clip_grad(b->params, 1);
    bool ok = adam_step(&b->adam, b->params);
    b->waited[number] = b->slices.waited - had_waited;
    b->update[number] = now() - before - b->waited[number];
    b->step[number] = now() - began;
    return ok;
}

static bool run(Bench *b, const Group *g, GptConfig config)
{
    b->params = params_new(1);
    b->tape = tape_new(1);
    const int count = WINDOWS * config.longest + 1;
    b->ids = malloc(sizeof *b->ids * (size_t)count);
    for (int i = 0; b->ids && i < count; i++)
        b->ids[i] = (i * 7 + i / 3 + 5 * g->rank) % config.words;
    bool ok = b->ids && b->params && b->tape && nn_gpt_init(&b->model, b->params, "", config) &&
              adamw_init(&b->adam, b->params, 1e-4, 0.1) &&
              nn_slices_init(&b->slices, b->params, g->size > 1 ? g : NULL, SLICES);
    for (int i = -2; ok && i < STEPS; i++) /* two to warm up */
        ok = step(b, i < 0 ? 0 : i);
    return ok;
}

int main(int argc, char **argv)
{
    static Bench b;
    static real send[LONG], receive[LONG];
    GptConfig config = {65, 64, 128, 4, 4, 0, 0};
    Group g;
    if (argc == 2 && strcmp(argv[1], "gpt2") == 0)
        config = (GptConfig){50257, 128, 768, 12, 12, 0, 0};
    else if (argc != 2 || strcmp(argv[1], "babygpt") != 0) {
        fprintf(stderr, "usage: mpirun -n N processes babygpt | gpt2\n");
        return 2;
    }
    tensor_set_threads(1);
    if (!nn_mpi_begin(&g, NULL) || !run(&b, &g, config)) {
        fprintf(stderr, "%s\n", tensor_error());
        nn_mpi_abort(1);
    }
    const double latency = g.size > 1 ? exchange_seconds(&g, send, receive, 1) : 0;
    const double large = g.size > 1 ? exchange_seconds(&g, send, receive, LONG) : 0;
    if (g.rank == 0)
        printf("%d\t%.6g\t%.6g\t%.6g\t%.6g\t%lld\t%d\t%.4g\t%.4g\n", g.size,
               median(b.slice, STEPS * b.slices.count), median(b.update, STEPS),
               median(b.step, STEPS), median(b.waited, STEPS), (long long)params_size(b.params),
               (int)(params_size(b.params) / LONG) + 2, latency,
               large > latency ? sizeof(real) * LONG / (large - latency) : 0);
    return nn_mpi_end() ? 0 : 1;
}
