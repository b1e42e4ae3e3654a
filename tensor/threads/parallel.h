/* parallel.h: the one way to use threads (internal). */
#ifndef GRADUS_PARALLEL_H
#define GRADUS_PARALLEL_H

#include "tensor/tensor.h"

/* ---- for kernels ------------------------------------------------------------------- parallel.c -- */

/* Runs fn(begin, end, context) over pieces that cover 0..n-1 once. A piece has at least `grain` items,
 * so small work stays on the calling thread. What fn writes for an item must depend on the item alone:
 * then the result is the same for any number of threads. A call from within fn is serial. */
typedef void (*ParallelBody)(int64_t begin, int64_t end, void *context);
void parallel_for(int64_t n, int64_t grain, ParallelBody fn, void *context);

/* The grain that gives each piece about 8192 elementary operations, for items of the given cost. */
int64_t parallel_grain(int64_t cost);

/* Sets n numbers to 0. */
void parallel_zero(real *x, int64_t n);

/* Inside fn: which piece this is, 0 .. tensor_threads() - 1. No two of a loop have the same number, so a
 * kernel's scratch is indexed by it. 0 outside of any loop, and unchanged in a serial call. */
int parallel_part(void);

/* Into how many pieces a loop begun here could fall: tensor_threads(), or 1 inside fn. */
int parallel_threads(void);

/* ---- what brings the threads ----------------------------- pool.c or openmp.c -- */

/* A loop of n items in so many pieces. */
typedef struct {
    ParallelBody fn;
    void *context;
    int64_t n;
    int pieces;
} ParallelLoop;

/* Does piece 0, 1, ... of the loop, on the thread that calls it. parallel.c */
void parallel_piece(const ParallelLoop *loop, int piece);

/* Does all pieces, by several threads. False, with nothing done, while another loop has the threads. */
bool parallel_share(const ParallelLoop *loop);

/* ---- how many processors ---------------------------------------------------------------- cpus.c -- */

/* OMP_NUM_THREADS; 0 where it is not set to a number above 0. */
int cpus_requested(void);
/* The processors that the process may use, by its affinity and its quota. At least 1. */
int cpus_count(void);
/* How many processors' time the process's control group may take, rounded up; 0: no limit, or not Linux.
 * root is put before the paths /proc and /sys: "", but for tests. */
int cpus_quota(const char *root);

#endif
