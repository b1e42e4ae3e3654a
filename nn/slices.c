/* slices.c: the gradient of a batch as the sum of its slices' gradients, on one process or on
 * several (data parallel training).
 *
 *   L = sum_k L_k,    dL/dw = sum_k dL_k/dw,    k = 0 .. slices - 1
 *
 * Floating-point addition is not associative: (a + b) + c and a + (b + c) differ in their last
 * bits. So the sum has one order, that of a binary tree over the slices, whoever computes them:
 *
 *   slice      0   1   2   3   4   5   6   7
 *   level 0    0 + 1   2 + 3   4 + 5   6 + 7      of one process where it has both slices,
 *   level 1      01  +  23       45  +  67        else of the exchange between two processes
 *   level 2          0123    +     4567
 *
 * Both numbers are powers of two, so that the slices of a process are a subtree. Weights, losses
 * and checkpoints then have the same bits on 1, 2, 4, ... processes. */
#include "nn/slices.h"

#include "nn/internal.h"

#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <string.h>

enum { OTHERS = 2 }; /* numbers besides the gradients: the loss, and whether to stop */

typedef struct SlicesState {
    Params *params;
    Group group;
    int levels;     /* this process has 2^levels slices */
    int64_t size;   /* numbers: all gradients one after the other, and the others */
    real *sum;      /* (size): over this process's slices, then over all */
    real *partial;  /* (levels, size): sums of 1, 2, 4, ... slices that await as many more */
    real *received; /* (size / 2, rounded up): from another process; NULL where there is none */
} State;

/* ---- before training ------------------------------------------------------------------------- */

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool init_check(const Slices *s, const Params *p, const Group *g, int slices)
{
    const int size = g ? g->size : 1, rank = g ? g->rank : 0;
    if (!s || !p)
        return tensor_fail("nn_slices_init: %s is NULL; expected slices and params",
                           s ? "params" : "slices");
    if (!is_power_of_two(slices) || slices > SLICES_MAX)
        return tensor_fail("nn_slices_init: found %d slices; expected a power of two up to %d",
                           slices, SLICES_MAX);
    if (!is_power_of_two(size) || size > slices)
        return tensor_fail(
            "nn_slices_init: found %d processes for %d slices of a batch; expected a "
            "power of two up to %d",
            size, slices, slices);
    return (rank >= 0 && rank < size) ||
           tensor_fail("nn_slices_init: found rank %d of %d processes; expected 0 to %d", rank,
                       size, size - 1);
}

static bool make_state(State *s)
{
    s->size = params_trained(s->params) + OTHERS;
    const size_t sums = (size_t)s->size * (size_t)(1 + s->levels),
                 received = s->group.size > 1 ? ((size_t)s->size + 1) / 2 : 0;
    s->sum = mem_zeroed((sums + received) * sizeof *s->sum);
    if (!s->sum)
        return false;
    s->partial = s->sum + s->size;
    s->received = received ? s->sum + sums : NULL;
    return true;
}

bool nn_slices_init(Slices *s, Params *p, const Group *group, int slices)
{
    if (s)
        *s = (Slices){0};
    if (!init_check(s, p, group, slices))
        return false;
    State *state = mem_zeroed(sizeof *state);
    if (!state)
        return false;
    state->params = p;
    state->group = group ? *group : (Group){.size = 1};
    const int own = slices / state->group.size;
    while (own >> (state->levels + 1))
        state->levels++;
    *s =
        (Slices){.slices = slices, .first = state->group.rank * own, .count = own, .inside = state};
    if (make_state(state))
        return true;
    nn_slices_free(s);
    return false;
}

void nn_slices_free(Slices *s)
{
    State *state = s ? s->inside : NULL;
    if (!state)
        return;
    mem_free(state->sum);
    mem_free(state);
    *s = (Slices){0};
}

/* ---- the tree over this process's slices ----------------------------------------------------- */

typedef struct {
    const State *state;
    real *numbers;
    int64_t at;
    int slice;
} Adding;

/* Slice k's numbers meet the sum of slice k - 1 where k is odd, the result that of the pair before
 * where k / 2 is odd, and so on, as in a binary counter. */
static void add_part(int64_t begin, int64_t end, void *context)
{
    const Adding *a = context;
    const State *s = a->state;
    real *x = a->numbers + begin;
    int level = 0;
    for (; a->slice >> level & 1; level++)
        kernels->add(x, s->partial + level * s->size + a->at + begin, 1, x, 1, end - begin);
    real *to = level < s->levels ? s->partial + level * s->size : s->sum;
    memcpy(to + a->at + begin, x, (size_t)(end - begin) * sizeof *x);
}

/* Adds the numbers of this slice, of this process's; they are changed. */
static void add_slice(const State *s, real *numbers, int64_t at, int64_t count, int slice)
{
    Adding a = {s, numbers, at, slice};
    parallel_for(count, parallel_grain(2), add_part, &a);
}

/* Forward and backward of a slice, whose gradients join the sum; the next slice's begin as
 * zeros. */
static bool slice_backward(const State *s, Tensor *loss, bool stop, int slice)
{
    int64_t at = 0;
    if (!ag_backward(loss))
        return false;
    for (int i = 0; i < s->params->count; i++) {
        const Tensor *w = s->params->weight[i];
        if (!w->grad)
            continue;
        add_slice(s, w->grad, at, tensor_size(w), slice);
        parallel_zero(w->grad, tensor_size(w));
        at += tensor_size(w);
    }
    real others[OTHERS] = {tensor_item(loss), stop};
    add_slice(s, others, at, OTHERS, slice);
    return true;
}

/* ---- the sum over the processes -------------------------------------------------------------- */

/* Of the sum: the numbers from .. to - 1. */
typedef struct {
    int64_t from, to;
} Part;

/* The part that a process sums after so many rounds. */
static Part part_after(int64_t size, int rank, int rounds)
{
    Part part = {0, size};
    for (int r = 0; r < rounds; r++) {
        int64_t middle = part.from + (part.to - part.from) / 2;
        *(rank >> r & 1 ? &part.from : &part.to) = middle;
    }
    return part;
}

/* Rabenseifner, "Optimization of collective reduction operations", 2004. In round r of the first
 * half, processes whose ranks differ in bit r exchange: each sends the half of its range that the
 * other will sum, and adds what it receives to its own half; a + b = b + a to the last bit. In the
 * end each process has the sum of one part of size / P numbers. The second half goes through the
 * rounds backwards and sends the sums. A process sends 2 (P - 1) / P numbers for each one of the
 * array, which is the least that any exchange can send (Patarasuk and Yuan, 2009). */
static bool sum_over_processes(const State *s)
{
    const Group *g = &s->group;
    int half = 0; /* log2 of the number of processes */
    while (g->size >> (half + 1))
        half++;
    for (int round = 0; round < 2 * half; round++) {
        const bool adds = round < half;
        const int bit = adds ? round : 2 * half - 1 - round, with = g->rank ^ (1 << bit);
        const Part own = part_after(s->size, g->rank, bit + 1),
                   other = part_after(s->size, with, bit + 1);
        const int64_t count = own.to - own.from, others = other.to - other.from;
        real *sum = s->sum + own.from, *rest = s->sum + other.from;
        if (!(adds ? g->exchange(g->context, with, rest, others, s->received, count)
                   : g->exchange(g->context, with, sum, count, rest, others)))
            return false;
        if (adds)
            kernels->add(sum, sum, 1, s->received, 1, count);
    }
    return true;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static bool gradient_check(const Slices *s)
{
    if (!s || !s->inside)
        return tensor_fail("nn_slices_gradient: found slices without memory; expected those of "
                           "nn_slices_init");
    const int64_t size = params_trained(s->inside->params), before = s->inside->size - OTHERS;
    return size == before ||
           tensor_fail("nn_slices_gradient: the weights have %lld gradients; expected %lld, as "
                       "at nn_slices_init: register and freeze all weights before it",
                       (long long)size, (long long)before);
}

bool nn_slices_gradient(Slices *s, SliceLoss *loss_of, void *context)
{
    if (!gradient_check(s))
        return false;
    const State *state = s->inside;
    for (int k = 0; k < s->count; k++)
        if (!slice_backward(state, loss_of(context, s->first + k), s->stop, k))
            return false;
    if (!sum_over_processes(state))
        return false;
    const real *sum = state->sum;
    for (int i = 0; i < state->params->count; i++) {
        Tensor *w = state->params->weight[i];
        if (w->grad)
            kernels->copy(w->grad, sum, 1, tensor_size(w));
        sum += w->grad ? tensor_size(w) : 0;
    }
    s->loss = (double)sum[0];
    s->stop = sum[1] > 0;
    return true;
}
