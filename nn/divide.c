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

bool adam_gather(const Adam *a, Slices *s, Adam *whole)
{
    if (whole)
        *whole = (Adam){0};
    if (!a || !s || !whole || !a->m)
        return tensor_fail("adam_gather: found %s; expected slices, and an optimiser with its part "
                           "of the state",
                           !s ? "no slices" : "no state");
    const size_t size = (size_t)a->size;
    if (s->first == 0) { /* the process of rank 0 */
        real *m = mem_alloc(2 * size * sizeof *m);
        if (!m)
            return false;
        *whole = *a;
        whole->first = 0;
        whole->held = a->size;
        whole->m = m;
        whole->v = m + size;
    }
    for (int i = 0; i < 2; i++) {
        const real *all = slices_join(s, i == 0 ? a->m : a->v, "adam_gather");
        if (all && whole->m)
            memcpy(i == 0 ? whole->m : whole->v, all, size * sizeof *all);
        if (!all) {
            adam_free(whole);
            return false;
        }
    }
    return true;
}
