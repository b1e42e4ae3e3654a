/* peak_loop.c: loops that run at the machine's limits, compiled once for each instruction set
 * (ISA).
 *
 *   multiply-adds   twelve independent chains, more than a core can have in flight
 *   reading         a sum in eight vectors, so that additions are faster than memory */
#include "tests/bench/peak_loop.h"

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float Vector __attribute__((vector_size(4 * LANES)));

#if defined(__AVX512F__)
#define REGISTER "v"
#elif defined(__x86_64__)
#define REGISTER "x"
#elif defined(__aarch64__)
#define REGISTER "w"
#else
#define REGISTER "m"
#endif

/* The empty asm keeps the compiler from simplifying the chain. */
#define CHAIN(a)   \
    a = a * m + c; \
    __asm__ volatile("" : "+" REGISTER(a));
#define CHAINS(x) x(a) x(b) x(d) x(e) x(f) x(g) x(h) x(i) x(j) x(k) x(l) x(o)

#define JOIN(what, isa) what##_##isa
#define NAME(what, isa) JOIN(what, isa)

double NAME(fma_loop, ISA)(long n)
{
    Vector zero = {0}, m = zero + 0.999f, c = zero + 0.001f;
    Vector a = c, b = c, d = c, e = c, f = c, g = c, h = c, i = c, j = c, k = c, l = c, o = c;
    for (long r = 0; r < n; r++) {
        CHAINS(CHAIN)
    }
    return 2.0 * 12 * LANES * (double)n;
}

double NAME(read_loop, ISA)(const float *x, long n)
{
    enum { SUMS = 8 };
    const Vector *v = (const void *)x;
    Vector sum[SUMS] = {{0}};
    for (long k = 0; k + SUMS <= n / LANES; k += SUMS)
        for (int s = 0; s < SUMS; s++)
            sum[s] += v[k + s];
    double total = 0;
    for (int s = 0; s < SUMS; s++)
        for (int l = 0; l < LANES; l++)
            total += (double)sum[s][l];
    return total;
}
