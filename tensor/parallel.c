/* parallel.c: threads through OpenMP, or none.
 *
 * This is the only file with a pragma. Every kernel hands its loop to parallel_for; each item has one
 * owner, so the number of threads changes who computes and never what is computed. */
#include "tensor/parallel.h"
#include "tensor/tensor.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static int threads; /* 0: not set, as many as there are */

void tensor_set_threads(int n)
{
    threads = n > 0 ? n : 0;
}

int tensor_threads(void)
{
#ifdef _OPENMP
    if (threads > 0)
        return threads;
    /* OpenMP's own count follows the affinity mask and OMP_NUM_THREADS. */
    return omp_get_max_threads();
#else
    return 1;
#endif
}

int64_t parallel_grain(int64_t cost)
{
    if (cost < 1)
        cost = 1;
    return cost < 32768 ? 32768 / cost : 1;
}

void parallel_for(int64_t n, int64_t grain, ParallelBody fn, void *context)
{
    int64_t pieces = grain > 0 ? n / grain : n;
    if (pieces > tensor_threads())
        pieces = tensor_threads();
    if (n <= 0)
        return;
#ifdef _OPENMP
    if (pieces > 1 && !omp_in_parallel()) {
#pragma omp parallel for num_threads((int)pieces) schedule(static, 1)
        for (int64_t p = 0; p < pieces; p++)
            fn(n * p / pieces, n * (p + 1) / pieces, context);
        return;
    }
#endif
    fn(0, n, context);
}
