/* limits.c: the limits of the machine, with all threads: fused multiply-adds in registers, and a
 * sum over as many bytes as a row reads, divided among the threads. */
#include "tensor/threads/parallel.h" /* internal; the benchmark needs the threads of the kernels */
#include "tests/bench/bench.h"
#include "tests/bench/peak_loop.h"

typedef struct {
    double (*fma)(long n);
    double (*read)(const float *x, long n);
} Loops;

/* Those of the kernels' own instructions: GRADUS_KERNELS=avx2 is held against the peak of AVX2. */
static Loops best_loops(void)
{
#ifdef GRADUS_X86_LEVELS
    const char *kernels = tensor_kernels();
    if (strcmp(kernels, "avx512") == 0)
        return (Loops){fma_loop_avx512, read_loop_avx512};
    if (strcmp(kernels, "avx2") == 0)
        return (Loops){fma_loop_avx2, read_loop_avx2};
#endif
    return (Loops){fma_loop_base, read_loop_base};
}

/* Runs n parts of `work` in all with all threads, and returns the best of several measurements,
 * since disturbances only make one slower. */
static double best_rate(int64_t n, ParallelBody part, void *context, double work)
{
    double best = 0;
    for (int r = 0; r < 10; r++) {
        double start = now();
        parallel_for(n, 1, part, context);
        double rate = work / (now() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

static void fma_part(int64_t begin, int64_t end, void *context)
{
    (void)context;
    best_loops().fma((end - begin) * 400000);
}

double peak_products(void)
{
    double work = best_loops().fma(1) * 400000 * settings.threads;
    return best_rate(settings.threads, fma_part, NULL, work);
}

enum { READ_LINE = 128, READ_ALIGN = 64 }; /* numbers that a step of the loop reads; bytes */

static void read_part(int64_t begin, int64_t end, void *context)
{
    const float *x = context;
    volatile double kept = best_loops().read(x + READ_LINE * begin, READ_LINE * (end - begin));
    (void)kept;
}

double peak_read(double bytes)
{
    int64_t lines = (int64_t)bytes / (READ_LINE * (int64_t)sizeof(float)) + 1;
    size_t size = (size_t)lines * READ_LINE * sizeof(float);
    char *block = malloc(size + READ_ALIGN);
    if (!block)
        return 0;
    float *x = (float *)(block + READ_ALIGN - (uintptr_t)block % READ_ALIGN);
    memset(x, 0, size);
    double best = best_rate(lines, read_part, x, (double)size);
    free(block);
    return best;
}
