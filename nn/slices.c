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
 * and checkpoints then have the same bits on 1, 2, 4, ... processes.
 *
 * Overlap: backward completes the gradients of the last layer first. Weights are grouped in buckets
 * of about 1 MB, and a bucket's exchange begins when the gradients of its weights are complete,
 * while backward goes on (Li et al., "PyTorch Distributed", VLDB 2020). */
#include "nn/slices.h"

#include "nn/exchange.h"
#include "nn/internal.h"

#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <string.h>

enum {
    BUCKET = 1 << 18, /* numbers: 1 MB of floats */
    OTHERS = 2,       /* numbers besides the gradients: the loss, and whether to stop */
};

/* Consecutive weights whose gradients are exchanged together. */
typedef struct {
    int weights, missing; /* those whose sum over this process's slices is not complete */
    Exchange exchange;
} Bucket;

typedef struct {
    int64_t at;            /* in the sum */
    int bucket, first_use; /* the first node of the tape that uses the weight; -1: none does */
} Place;

typedef struct SlicesState {
    Params *params;
    Group group;
    int levels;     /* this process has 2^levels slices */
    int done;       /* of them, in this step */
    int64_t size;   /* numbers: all gradients one after the other, and the others */
    real *sum;      /* (size): over this process's slices, then over all */
    real *received; /* from other processes: what no bucket has yet */
    real *partial;  /* (levels, size): sums of 1, 2, 4, ... slices that await as many more */
    Place *place;   /* of each weight, then of the others */
    Bucket *bucket;
    int buckets;
    bool failed;
} State;

/* ---- before training ------------------------------------------------------------------------- */

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool init_check(const Slices *s, const Params *p, const Group *g, int slices)
{
    char sizes[64] = "1";
    const int size = g ? g->size : 1, rank = g ? g->rank : 0;
    if (!s || !p)
        return tensor_fail("nn_slices_init: %s is NULL; expected slices and params",
                           s ? "params" : "slices");
    if (!is_power_of_two(slices) || slices > SLICES_MAX)
        return tensor_fail("nn_slices_init: found %d slices; expected a power of two up to %d",
                           slices, SLICES_MAX);
    for (int n = 2; n <= slices; n *= 2)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%d",
                 n == slices ? " or " : ", ", n);
    if (!is_power_of_two(size) || size > slices)
        return tensor_fail(
            "nn_slices_init: found %d processes for %d slices of a batch; expected %s", size,
            slices, sizes);
    return (rank >= 0 && rank < size) ||
           tensor_fail("nn_slices_init: found rank %d of %d processes; expected 0 to %d", rank,
                       size, size - 1);
}

/* The weights in their order, in buckets of at least BUCKET numbers each but the first. They are
 * filled from the last weight on, since backward completes those first; the others, which come
 * after it in the sum, are in its bucket. */
static void make_buckets(State *s)
{
    int64_t end = s->size;
    for (int i = s->params->count; i >= 0; i--) {
        const int64_t at = s->place[i].at;
        Bucket *b = &s->bucket[s->buckets];
        s->place[i].bucket = s->buckets;
        b->weights += i < s->params->count;
        if (end - at < BUCKET && i > 0)
            continue;
        b->exchange = (Exchange){.number = s->buckets++,
                                 .size = end - at,
                                 .sum = s->sum + at,
                                 .received = s->received};
        s->received += s->group.size > 1 ? (end - at + 1) / 2 : 0;
        end = at;
    }
}

static bool make_state(State *s)
{
    const Params *p = s->params;
    const size_t count = (size_t)p->count + 1;
    s->place = mem_alloc(count * sizeof *s->place);
    s->bucket = mem_zeroed(count * sizeof *s->bucket);
    if (!s->place || !s->bucket)
        return false;
    for (int i = 0; i < p->count; i++) {
        s->place[i].at = s->size;
        s->size += p->weight[i]->needs_grad ? tensor_size(p->weight[i]) : 0;
    }
    s->place[p->count].at = s->size;
    s->size += OTHERS;
    /* A process receives at most half of a bucket, rounded up, at a time. */
    const size_t sums = (size_t)s->size * (size_t)(1 + s->levels),
                 received = s->group.size > 1 ? (size_t)s->size / 2 + count : 0;
    s->sum = mem_zeroed((sums + received) * sizeof *s->sum);
    if (!s->sum)
        return false;
    s->partial = s->sum + s->size;
    s->received = s->sum + sums;
    make_buckets(s);
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
    mem_free(state->place);
    mem_free(state->bucket);
    mem_free(state->sum);
    mem_free(state);
    *s = (Slices){0};
}

/* ---- the tree over this process's slices ----------------------------------------------------- */

typedef struct {
    State *state;
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
static void add_slice(State *s, real *numbers, int64_t at, int64_t count, int slice)
{
    Adding a = {s, numbers, at, slice};
    parallel_for(count, parallel_grain(2), add_part, &a);
}

/* ---- backward of one slice ------------------------------------------------------------------- */

/* A gradient is complete when backward is done with the first node that uses the weight. */
static void find_first_uses(State *s, const Tape *tape)
{
    for (int i = 0; i < s->params->count; i++) {
        s->place[i].first_use = -1;
        for (int n = tape->nodes - 1; n >= 0; n--)
            for (int k = 0; k < tape->node[n]->inputs; k++) {
                const Tensor *x = tape->node[n]->in[k];
                if (x && (x->base ? x->base : x) == s->params->weight[i])
                    s->place[i].first_use = n;
            }
    }
}

/* Backward is done with this node (-1: it begins): adds the gradients that are complete then. Those
 * of the last slice stay where they are, and their sums are exchanged while backward goes on. */
static void after_node(void *context, int node)
{
    State *s = context;
    const bool last = s->done == (1 << s->levels) - 1;
    for (int i = 0; i < s->params->count; i++) {
        const Tensor *weight = s->params->weight[i];
        if (s->place[i].first_use != node)
            continue;
        if (weight->grad)
            add_slice(s, weight->grad, s->place[i].at, tensor_size(weight), s->done);
        if (weight->grad && !last)
            parallel_zero(weight->grad, tensor_size(weight));
        s->bucket[s->place[i].bucket].missing--;
    }
    for (int b = 0; b < s->buckets && last && !s->failed; b++)
        s->failed =
            s->bucket[b].missing == 0 && !exchange_go_on(&s->bucket[b].exchange, &s->group, false);
}

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

static bool slice_backward(State *s, Tensor *loss, bool stop)
{
    if (!loss || !loss->tape || tensor_is_poison(loss) || tensor_size(loss) != 1)
        return ag_backward(loss); /* which reports it */
    struct TapeInside *inside = loss->tape->inside;
    real others[OTHERS] = {tensor_item(loss), stop};
    add_slice(s, others, s->size - OTHERS, OTHERS, s->done);
    for (int b = 0; b < s->buckets; b++) {
        s->bucket[b].missing = s->bucket[b].weights;
        s->bucket[b].exchange.round = 0;
    }
    find_first_uses(s, loss->tape);
    after_node(s, -1);
    inside->after_node = after_node;
    inside->after_node_context = s;
    bool ok = ag_backward(loss) && !s->failed;
    inside->after_node = NULL;
    return ok;
}

/* ---- the sum --------------------------------------------------------------------------------- */

/* Buckets end in the order in which they began, the same on every process. */
static bool end_exchanges(State *s)
{
    for (int b = 0; b < s->buckets; b++)
        if (!exchange_go_on(&s->bucket[b].exchange, &s->group, true))
            return false;
    for (int i = 0; i < s->params->count; i++) {
        Tensor *w = s->params->weight[i];
        if (w->grad)
            kernels->copy(w->grad, s->sum + s->place[i].at, 1, tensor_size(w));
    }
    return true;
}

bool nn_slices_gradient(Slices *s, SliceLoss *loss_of, void *context)
{
    if (!gradient_check(s))
        return false;
    State *state = s->inside;
    for (state->done = 0; state->done < s->count; state->done++)
        if (!slice_backward(state, loss_of(context, s->first + state->done), s->stop))
            return false;
    if (!end_exchanges(state))
        return false;
    const real *others = state->sum + state->size - OTHERS;
    s->loss = (double)others[0];
    s->stop = others[1] > 0;
    return true;
}
