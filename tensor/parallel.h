/* parallel.h: the one way to use threads (internal). */
#ifndef GRADUS_PARALLEL_H
#define GRADUS_PARALLEL_H

#include <stdint.h>

/* Runs fn(begin, end, context) over pieces that cover 0..n-1 once. A piece has at least `grain` items
 * (but the last), so small work stays on the calling thread. What fn writes for an item must depend on
 * the item alone: then the result is the same for any number of threads. A call from within fn is serial. */
typedef void (*ParallelBody)(int64_t begin, int64_t end, void *context);
void parallel_for(int64_t n, int64_t grain, ParallelBody fn, void *context);

/* The grain that gives each piece about 32768 elementary operations, for items of the given cost. */
int64_t parallel_grain(int64_t cost);

#endif
