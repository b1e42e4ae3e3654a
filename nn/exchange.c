/* exchange.c: the sum of an array over the processes of a group, along a binary tree over their
 * ranks.
 *
 * Rabenseifner, "Optimization of collective reduction operations", 2004. In round r of the first
 * half, processes whose ranks differ in bit r exchange: each sends the half of its range that the
 * other will sum, and adds what it receives to its own half. In the end each process has the sum of
 * one part of size / P numbers. The second half goes through the rounds backwards and sends the
 * sums. A process sends 2 (P - 1) / P numbers for each one of the array, which is the least that
 * any exchange can send (Patarasuk and Yuan, 2009). */
#include "nn/exchange.h"

#include "nn/internal.h"

/* Of an array: the numbers from .. to - 1. */
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

/* A round exchanges parts of sums in the first half, whole sums in the second. a + b = b + a to the
 * last bit, so both processes of a pair compute the same sum. */
bool exchange_go_on(Exchange *e, const Group *g, bool wait)
{
    int half = 0; /* log2 of the number of processes */
    while (g->size >> (half + 1))
        half++;
    for (; e->round < 2 * half; e->round++) {
        const bool adds = e->round < half;
        const int bit = adds ? e->round : 2 * half - 1 - e->round, with = g->rank ^ (1 << bit);
        const Part own = part_after(e->size, g->rank, bit + 1),
                   other = part_after(e->size, with, bit + 1);
        const int64_t count = own.to - own.from, others = other.to - other.from;
        real *sum = e->sum + own.from, *rest = e->sum + other.from;
        bool ended;
        if (!e->under_way &&
            !(adds ? g->begin(g->context, e->number, with, rest, others, e->received, count)
                   : g->begin(g->context, e->number, with, sum, count, rest, others)))
            return false;
        e->under_way = true;
        if (!g->ended(g->context, e->number, wait, &ended))
            return false;
        if (!ended)
            return true;
        if (adds)
            kernels->add(sum, sum, 1, e->received, 1, count);
        e->under_way = false;
    }
    return true;
}
