/* philox.h: random numbers in lanes: rng_philox (rng.c) of W counters at once (internal).
 *
 *      block  b | b+1 | .. | b+W-1            the four words of a block stand in four vectors;
 *      word 0 .. 3 of each                    interleaved, they are the numbers 4 b, 4 b + 1, ... in order */
#ifndef GRADUS_KERNELS_FAST_RANDOM_H
#define GRADUS_KERNELS_FAST_RANDOM_H

#include "tensor/kernels/simd/pack.h"

typedef uint32_t Words __attribute__((vector_size(4 * W)));
typedef uint64_t Doubled __attribute__((vector_size(4 * W)));

/* Which elements of a dropout stay. */
typedef struct {
    uint64_t seed, stream;
    float p;
} Dropout;

/* The even lanes' products with a number below 2^32, in 64 bits. */
static inline Doubled even_products(Words a, uint32_t b)
{
#if defined(__AVX512F__)
    return (Doubled)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(b));
#elif defined(__AVX2__)
    return (Doubled)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(b));
#elif defined(__SSE2__)
    return (Doubled)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(b));
#else
    return ((Doubled)a & 0xffffffffu) * (uint64_t)b;
#endif
}

static inline Words multiply_words(Words a, uint32_t b, Words *high)
{
    const uint64_t upper = 0xffffffff00000000u;
    Doubled even = even_products(a, b), odd = even_products((Words)((Doubled)a >> 32), b);
    *high = (Words)((even >> 32) | (odd & upper));
    return (Words)((even & ~upper) | (odd << 32));
}

/* The 4 W numbers from block `block` on, in order. */
static inline void random_words(const Dropout *d, uint64_t block, Words out[4])
{
    Words c0, c1, c2 = (Words){0} + (uint32_t)d->stream,
                  c3 = (Words){0} + (uint32_t)(d->stream >> 32);
    uint32_t k0 = (uint32_t)d->seed, k1 = (uint32_t)(d->seed >> 32);
    for (int l = 0; l < W; l++) {
        c0[l] = (uint32_t)(block + (uint64_t)l);
        c1[l] = (uint32_t)((block + (uint64_t)l) >> 32);
    }
    for (int round = 0; round < 10; round++) {
        Words high0, high1, low0 = multiply_words(c0, 0xD2511F53u, &high0);
        Words low1 = multiply_words(c2, 0xCD9E8D57u, &high1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    Words even_low = INTERLEAVE(c0, c2, LOW_HALVES), even_high = INTERLEAVE(c0, c2, HIGH_HALVES);
    Words odd_low = INTERLEAVE(c1, c3, LOW_HALVES), odd_high = INTERLEAVE(c1, c3, HIGH_HALVES);
    out[0] = INTERLEAVE(even_low, odd_low, LOW_HALVES);
    out[1] = INTERLEAVE(even_low, odd_low, HIGH_HALVES);
    out[2] = INTERLEAVE(even_high, odd_high, LOW_HALVES);
    out[3] = INTERLEAVE(even_high, odd_high, HIGH_HALVES);
}

/* Which of the W numbers are at least p 2^32, the rule of kernel_keeps: -1 or 0. Lanes compare with a sign, so
 * both sides have their highest bit turned. */
static inline Lanes words_keep(const Dropout *d, Words numbers)
{
    uint32_t least = (uint32_t)ceil((double)d->p * 0x1p32);
    return (Lanes)(numbers ^ 0x80000000u) >= (int32_t)(least ^ 0x80000000u);
}

#endif
