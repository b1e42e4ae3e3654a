/* parallel.h: loops that several threads share (internal).
 *
 *   parallel.c  divides a loop into pieces     pool.c    the library's own threads
 *   cpus.c      how many processors there are  openmp.c  OpenMP's threads instead (meson -Dopenmp=enabled) */
#ifndef GRADUS_PARALLEL_H
#define GRADUS_PARALLEL_H

#include "tensor/tensor.h"

/* ---- for kernels --------------------------------------------------------------- parallel.c -- */

/* Calls fn(begin, end, context) for pieces that cover the items 0 .. n - 1 once. A piece has at
 * least `grain` items, so that little work stays on the calling thread. What fn writes for an item
 * must depend on that item alone: then the result is the same for any number of threads. A call
 * from within fn runs on the calling thread. */
typedef void (*ParallelBody)(int64_t begin, int64_t end, void *context);
void parallel_for(int64_t n, int64_t grain, ParallelBody fn, void *context);

/* The grain for items of so many elementary operations each: about 8192 of these a piece. */
int64_t parallel_grain(int64_t cost);

/* Sets n numbers to 0. */
void parallel_zero(real *x, int64_t n);

/* Inside fn: the number of the piece, 0 .. tensor_threads() - 1, which selects the part of a
 * kernel's scratch. No two pieces of a loop have the same number. 0 outside of any loop; a loop
 * within fn keeps fn's number. */
int parallel_part(void);

/* The number of pieces that a loop begun here has at most: tensor_threads(), or 1 inside fn. */
int parallel_threads(void);

/* ---- for the providers of threads ------------------------ pool.c or openmp.c -- */

/* A loop of n items, divided into pieces. */
typedef struct {
    ParallelBody fn;
    void *context;
    int64_t n;
    int pieces;
} ParallelLoop;

/* Computes piece 0, 1, ... of the loop on the calling thread. parallel.c */
void parallel_piece(const ParallelLoop *loop, int piece);

/* Computes all pieces on several threads. False, nothing done, while another loop uses them. */
bool parallel_share(const ParallelLoop *loop);

/* ---- how many processors ----------------------------------------------------------- cpus.c -- */

/* OMP_NUM_THREADS; 0 where it is not set to a number above 0. */
int cpus_requested(void);
/* The processors that the process may use, by its affinity and its quota. At least 1. */
int cpus_count(void);
/* The quota of the process's control group in processors, rounded up; 0 where there is none, or no
 * Linux. `root` is put before the paths /proc and /sys: "" except in tests. */
int cpus_quota(const char *root);

#endif
