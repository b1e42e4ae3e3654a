/* dropout.c: which elements are dropped, and the inverted dropout of an array.
 *
 * Whether an element is dropped is a function of (seed, stream, number of the element): backward
 * and any other kernel set find the same elements without a stored mask. Source: Srivastava et al.,
 * "Dropout: a simple way to prevent neural networks from overfitting" (2014). */
#include "tensor/kernels/ref/ref.h"

#include "tensor/memory.h"

/* Word i mod 4 of Philox block i / 4, as a fraction of 2^32, compared with p. */
bool kernel_keeps(real p, uint64_t seed, uint64_t stream, uint64_t i)
{
    uint32_t counter[4] = {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)stream,
                           (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, bits[4];
    rng_philox(counter, key, bits);
    return bits[i % 4] * 0x1p-32 >= (double)p;
}

/* Kept elements are multiplied by 1 / (1 - p), so that the expectation of y is x. */
void ref_dropout(real *y, const real *x, real p, uint64_t seed, uint64_t stream, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = kernel_keeps(p, seed, stream, (uint64_t)i) ? x[i] / (1 - p) : 0;
}

/* dx_i += dy_i / (1 - p) where element i was kept */
void ref_dropout_backward(real *dx, const real *dy, real p, uint64_t seed, uint64_t stream,
                          int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (kernel_keeps(p, seed, stream, (uint64_t)i))
            dx[i] += dy[i] / (1 - p);
}
