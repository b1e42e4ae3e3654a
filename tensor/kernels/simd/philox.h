/* philox.h: rng_philox (tensor/rng.c) for W counters at once (internal).
 *
 *      block  b | b+1 | .. | b+W-1     word[w][l] is word w of block b + l; block by block,
 *      word 0 .. 3 of each             they are the numbers 4 b, 4 b + 1, ... in order
 *
 * Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
 *
 * Ten rounds, each of two multiplications of 32 by 32 bits whose upper and lower halves are mixed
 * with the key. A counter-based generator has no state: the number of element i is a function of
 * (seed, stream, i), so that any thread may compute it, and backward makes the mask of forward a
 * second time instead of storing it. The compiler vectorises the loops over blocks. */
#ifndef GRADUS_KERNELS_SIMD_PHILOX_H
#define GRADUS_KERNELS_SIMD_PHILOX_H

#include "tensor/kernels/simd/simd.h"

/* The 4 W numbers from block `block` on, in order.
 * The 128-bit counter is the block's number below and the stream above; the key is the seed. The
 * constants are those of Philox4x32-10: two multipliers, and two increments by which the key grows
 * in every round (the golden ratio and the square root of 3, less 1, as 32-bit fractions). */
static inline void philox_numbers(uint64_t seed, uint64_t stream, uint64_t block,
                                  uint32_t out[4 * W])
{
    uint32_t word[4][W], k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int l = 0; l < W; l++) {
        word[0][l] = (uint32_t)(block + (uint64_t)l);
        word[1][l] = (uint32_t)((block + (uint64_t)l) >> 32);
        word[2][l] = (uint32_t)stream;
        word[3][l] = (uint32_t)(stream >> 32);
    }
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (int l = 0; l < W; l++) {
            const uint64_t first = (uint64_t)word[0][l] * 0xD2511F53u;
            const uint64_t second = (uint64_t)word[2][l] * 0xCD9E8D57u;
            word[0][l] = (uint32_t)(second >> 32) ^ word[1][l] ^ k0;
            word[1][l] = (uint32_t)second;
            word[2][l] = (uint32_t)(first >> 32) ^ word[3][l] ^ k1;
            word[3][l] = (uint32_t)first;
        }
    for (int l = 0; l < W; l++)
        for (int w = 0; w < 4; w++)
            out[4 * l + w] = word[w][l];
}

/* Numbers from here on are kept with the probability 1 - p: the rule of kernel_keeps. */
static inline uint32_t philox_least_kept(float p)
{
    return (uint32_t)ceil((double)p * 0x1p32);
}

#endif
