/* divide.c: Adam's state divided among the processes of a group: stage 1 of ZeRO (Rajbhandari et
 * al., "ZeRO: memory optimizations toward training trillion parameter models", SC 2020).
 *
 * Each process has the gradients of all weights, and m and v of 1 / P of them: it updates those
 * weights, and the others get them by nn_slices_spread, which sends (P - 1) / P numbers for each
 * weight. Adam computes each weight by itself, so the bits are those of one process. */
#include "nn/internal.h"

#include "tensor/memory.h"

#include <string.h>

bool adam_divide(Adam *a, const Group *g)
{
    if (!a || !g || !a->m || a->held != a->size)
        return tensor_fail("adam_divide: found %s; expected a group, and an optimiser with all of "
                           "its state",
                           !g          ? "no group"
                           : a && a->m ? "a part of it"
                                       : "no state");
    const ExchangePart part = exchange_part(a->size, g->rank, g->size);
    const size_t held = (size_t)(part.to - part.from), bytes = held * sizeof *a->m;
    real *m = mem_alloc(2 * bytes);
    if (!m)
        return false;
    memcpy(m, a->m + part.from, bytes);
    memcpy(m + held, a->v + part.from, bytes);
    mem_free(a->m);
    a->m = m;
    a->v = m + held;
    a->first = part.from;
    a->held = part.to - part.from;
    return true;
}

/* Receives from a process, or sends to one; what goes the other way has no number. */
static bool pass(const Group *g, int with, real *numbers, int64_t count)
{
    bool ended, sends = g->rank > 0;
    return g->begin(g->context, 0, with, numbers, sends ? count : 0, numbers, sends ? 0 : count) &&
           g->ended(g->context, 0, true, &ended);
}

/* Process 0 receives m and v of one process after another. */
static bool receive_all(const Group *g, Adam *whole)
{
    for (int from = 1; from < g->size; from++) {
        const ExchangePart part = exchange_part(whole->size, from, g->size);
        if (!pass(g, from, whole->m + part.from, part.to - part.from) ||
            !pass(g, from, whole->v + part.from, part.to - part.from))
            return false;
    }
    return true;
}

bool adam_gather(const Adam *a, const Group *g, Adam *whole)
{
    if (whole)
        *whole = (Adam){0};
    if (!a || !g || !whole || !a->m)
        return tensor_fail("adam_gather: found %s; expected a group, and an optimiser with its "
                           "part of the state",
                           !g ? "no group" : "no state");
    if (g->rank > 0)
        return pass(g, 0, a->m, a->held) && pass(g, 0, a->v, a->held);
    const size_t bytes = (size_t)a->held * sizeof *a->m;
    *whole = *a;
    whole->first = 0;
    whole->held = a->size;
    whole->m = mem_alloc(2 * (size_t)a->size * sizeof *a->m);
    if (!whole->m)
        return false;
    whole->v = whole->m + a->size;
    memcpy(whole->m + a->first, a->m, bytes);
    memcpy(whole->v + a->first, a->v, bytes);
    return receive_all(g, whole);
}
