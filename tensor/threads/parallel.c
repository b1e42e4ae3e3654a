/* parallel.c: divides a loop whose items are independent into pieces for several threads.
 *
 * Each item belongs to one piece, so the number of threads decides which thread computes an item,
 * never what is computed. The build decides which threads there are: pool.c, openmp.c, or none. */
#include "tensor/threads/parallel.h"

#include <stdatomic.h>
#include <string.h>

/* The most threads that share a loop; pool.c has space for as many workers, less the caller. */
enum { THREADS_MAX = 256 };

/* The piece that this thread computes, and whether it computes one: not outside of a loop. */
static _Thread_local int part;
static _Thread_local bool inside;

int parallel_part(void)
{
    return part;
}

/* A loop inside a loop runs on its own thread: all threads are busy with the outer one. */
int parallel_threads(void)
{
    return inside ? 1 : tensor_threads();
}

/* The elementary operations of a piece, at least. Starting a loop on two threads takes 0.5 us
 * (the least time of a loop with a part for each, minus that of its parts, a Xeon with AVX-512 that
 * did other work too, 2026-11-21), and twice as many operations as these take one thread 1 to 2 us
 * where their operands are in its cache, 4 where the other thread wrote them. A step of the
 * benchmark's train_tiny by two threads, the median of ten runs in turn: 1.22 ms with 4096, 1.21
 * with 8192, 1.47 with 16384 and with 32768; of train_vit_28p7 9.3, 8.7, 8.8 and 8.6. */
enum { PIECE = 8192 };

int64_t parallel_grain(int64_t cost)
{
    if (cost < 1)
        cost = 1;
    return cost < PIECE ? PIECE / cost : 1;
}

/* part and inside are set while fn runs, so that fn and loops within it can ask for them. */
void parallel_piece(const ParallelLoop *loop, int piece)
{
    part = piece;
    inside = true;
    loop->fn(loop->n * piece / loop->pieces, loop->n * (piece + 1) / loop->pieces, loop->context);
    inside = false;
    part = 0;
}

#ifndef GRADUS_THREADS
bool parallel_share(const ParallelLoop *loop)
{
    (void)loop;
    return false;
}
#endif

/* The pieces have equal length but for one item, in order, so that a thread tends to meet the same
 * part of an array in every loop over it. */
void parallel_for(int64_t n, int64_t grain, ParallelBody fn, void *context)
{
    int64_t pieces = grain > 0 ? n / grain : n;
    if (pieces > 1 && pieces > parallel_threads())
        pieces = parallel_threads();
    ParallelLoop loop = {fn, context, n, (int)pieces};
    if (n > 0 && (pieces <= 1 || !parallel_share(&loop)))
        fn(0, n, context);
}

static void zero_body(int64_t begin, int64_t end, void *context)
{
    memset((real *)context + begin, 0, (size_t)(end - begin) * sizeof(real));
}

void parallel_zero(real *x, int64_t n)
{
    parallel_for(n, parallel_grain(1), zero_body, x);
}

static atomic_int threads; /* as the program set it; 0: as many as there are */

/* Atomic: other threads may compute. Loops that have begun keep their number of pieces. */
void tensor_set_threads(int n)
{
    atomic_store(&threads, n < 0 ? 0 : n);
}

#ifdef GRADUS_THREADS
/* A debug build has one thread unless somebody asks for more, so that a debugger stays in one. */
static int default_threads(void)
{
    int requested = cpus_requested();
#ifdef GRADUS_DEBUG
    return requested > 0 ? requested : 1;
#else
    return requested > 0 ? requested : cpus_count();
#endif
}
#endif

/* The system is asked once, at the first call. */
int tensor_threads(void)
{
#ifdef GRADUS_THREADS
    static atomic_int available; /* found once */
    int n = atomic_load_explicit(&threads, memory_order_relaxed);
    if (n == 0)
        n = atomic_load_explicit(&available, memory_order_relaxed);
    if (n == 0)
        atomic_store(&available, n = default_threads());
    return n < THREADS_MAX ? n : THREADS_MAX;
#else
    return 1;
#endif
}
