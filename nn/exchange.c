/* exchange.c: the sum of an array over the processes of a group, along a binary tree over their
 * ranks.
 *
 * Rabenseifner, "Optimization of collective reduction operations", 2004. In round r of the first
 * half, processes whose ranks differ in bit r exchange: each sends the half of its range that the
 * other will sum, and adds what it receives to its own half. In the end each process has the sum of
 * one part of size / P numbers. The second half goes through the rounds backwards and sends the
 * sums. A process sends 2 (P - 1) / P numbers for each one of the array, which is the least that
 * any exchange can send (Patarasuk and Yuan, 2009). */
#include "nn/internal.h"

/* The part that a process sums after so many rounds. */
static ExchangePart part_after(int64_t size, int rank, int rounds)
{
    ExchangePart part = {0, size};
    for (int r = 0; r < rounds; r++) {
        int64_t middle = part.from + (part.to - part.from) / 2;
        *(rank >> r & 1 ? &part.from : &part.to) = middle;
    }
    return part;
}

/* What a round exchanges: parts of sums in the first half, whole sums in the second. */
typedef struct {
    bool adds;
    int with;
    ExchangePart own, other;
} Round;

static int exponent_of(int processes)
{
    int exponent = 0;
    while (processes >> (exponent + 1))
        exponent++;
    return exponent;
}

static Round round_of(const Exchange *e, const Group *g)
{
    const int half = exponent_of(g->size);
    const int bit = e->round < half ? e->round : 2 * half - 1 - e->round;
    const int with = g->rank ^ (1 << bit);
    return (Round){.adds = e->round < half,
                   .with = with,
                   .own = part_after(e->size, g->rank, bit + 1),
                   .other = part_after(e->size, with, bit + 1)};
}

static bool begin_round(Exchange *e, const Group *g)
{
    const Round r = round_of(e, g);
    const int64_t own = r.own.to - r.own.from, other = r.other.to - r.other.from;
    real *sum = e->sum + r.own.from, *others = e->sum + r.other.from;
    e->under_way = true;
    return r.adds ? g->begin(g->context, e->number, r.with, others, other, e->received, own)
                  : g->begin(g->context, e->number, r.with, sum, own, others, other);
}

/* a + b = b + a to the last bit, so both processes of a pair compute the same sum. */
static void end_round(Exchange *e, const Group *g)
{
    const Round r = round_of(e, g);
    real *own = e->sum + r.own.from;
    if (r.adds)
        kernels->add(own, own, 1, e->received, 1, r.own.to - r.own.from);
    e->under_way = false;
    e->round++;
}

bool exchange_go_on(Exchange *e, const Group *g, bool wait)
{
    while (e->round < 2 * exponent_of(g->size)) {
        bool ended = false;
        if (!e->under_way && !begin_round(e, g))
            return false;
        if (!g->ended(g->context, e->number, wait, &ended))
            return false;
        if (!ended)
            return true;
        end_round(e, g);
    }
    return true;
}

ExchangePart exchange_part(int64_t size, int rank, int processes)
{
    return part_after(size, rank, exponent_of(processes));
}

bool exchange_parts(Exchange *e, const Group *g)
{
    e->round = exponent_of(g->size);
    return exchange_go_on(e, g, true);
}
