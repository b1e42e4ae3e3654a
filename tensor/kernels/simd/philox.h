/* philox.h: rng_philox (tensor/rng.c) for W counters at once (internal).
 *
 *      block  b | b+1 | .. | b+W-1     the four 32-bit words of a block stand in four vectors;
 *      word 0 .. 3 of each             interleaved, they are the numbers 4 b, 4 b + 1, ... in order
 *
 * Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
 *
 * Ten rounds, each of two multiplications of 32 by 32 bits whose upper and lower halves are mixed
 * with the key. A counter-based generator has no state: the number of element i is a function of
 * (seed, stream, i), so that any thread may compute it, and backward makes the mask of forward a
 * second time instead of storing it. */
#ifndef GRADUS_KERNELS_SIMD_PHILOX_H
#define GRADUS_KERNELS_SIMD_PHILOX_H

#include "tensor/kernels/simd/pack.h"

typedef uint32_t Uint32Lanes __attribute__((vector_size(4 * W)));
typedef uint64_t Uint64Lanes __attribute__((vector_size(4 * W)));

/* The random stream of a dropout and its probability. */
typedef struct {
    uint64_t seed, stream;
    float p;
} Dropout;

/* The products of the even lanes with a 32-bit number, in 64 bits. */
static inline Uint64Lanes even_products(Uint32Lanes a, uint32_t b)
{
#ifdef X86
    typedef long long Long __attribute__((vector_size(4 * W)));
    return (Uint64Lanes)X86(mul_epu32)((Long)a, (Long){0} + b);
#else
    return ((Uint64Lanes)a & 0xffffffffu) * (uint64_t)b;
#endif
}

/* The products of all W lanes with a 32-bit number: returns their lower 32 bits and stores their
 * upper 32 bits. The even lanes and the odd lanes are multiplied in turn, because the instruction
 * takes half as many 64-bit products. */
static inline Uint32Lanes multiply_wide(Uint32Lanes a, uint32_t b, Uint32Lanes *high)
{
    const uint64_t upper = 0xffffffff00000000u;
    Uint64Lanes even = even_products(a, b),
                odd = even_products((Uint32Lanes)((Uint64Lanes)a >> 32), b);
    *high = (Uint32Lanes)((even >> 32) | (odd & upper));
    return (Uint32Lanes)((even & ~upper) | (odd << 32));
}

/* The 4 W numbers from block `block` on, in order.
 * The 128-bit counter is the block's number below and the stream above; the key is the seed. The
 * constants are those of Philox4x32-10: two multipliers, and two increments by which the key grows
 * in every round (the golden ratio and the square root of 3, less 1, as 32-bit fractions). */
static inline void philox_numbers(const Dropout *d, uint64_t block, Uint32Lanes out[4])
{
    Uint32Lanes c0, c1, c2 = (Uint32Lanes){0} + (uint32_t)d->stream,
                        c3 = (Uint32Lanes){0} + (uint32_t)(d->stream >> 32);
    uint32_t k0 = (uint32_t)d->seed, k1 = (uint32_t)(d->seed >> 32);
    for (int l = 0; l < W; l++) {
        c0[l] = (uint32_t)(block + (uint64_t)l);
        c1[l] = (uint32_t)((block + (uint64_t)l) >> 32);
    }
    for (int round = 0; round < 10; round++) {
        Uint32Lanes high0, high1, low0 = multiply_wide(c0, 0xD2511F53u, &high0);
        Uint32Lanes low1 = multiply_wide(c2, 0xCD9E8D57u, &high1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    Uint32Lanes even_low = INTERLEAVE(c0, c2, LOW_HALVES),
                even_high = INTERLEAVE(c0, c2, HIGH_HALVES);
    Uint32Lanes odd_low = INTERLEAVE(c1, c3, LOW_HALVES),
                odd_high = INTERLEAVE(c1, c3, HIGH_HALVES);
    out[0] = INTERLEAVE(even_low, odd_low, LOW_HALVES);
    out[1] = INTERLEAVE(even_low, odd_low, HIGH_HALVES);
    out[2] = INTERLEAVE(even_high, odd_high, LOW_HALVES);
    out[3] = INTERLEAVE(even_high, odd_high, HIGH_HALVES);
}

/* -1 in each lane whose number is at least p 2^32, the rule of kernel_keeps, else 0.
 * The vector comparison is signed, so
 * the highest bit of both sides is flipped. */
static inline Lanes philox_keeps(const Dropout *d, Uint32Lanes numbers)
{
    uint32_t least = (uint32_t)ceil((double)d->p * 0x1p32);
    return (Lanes)(numbers ^ 0x80000000u) >= (int32_t)(least ^ 0x80000000u);
}

#endif
