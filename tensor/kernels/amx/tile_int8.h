/* tile_int8.h: products of long rows as integers (internal).
 *
 * The tile unit multiplies numbers of 8 bits twice as fast as bfloat16, and adds them up exactly. So each row of A, and
 * each column of B, is measured by its largest number: what is a float becomes an integer of 24 bits, three digits of
 * base 256 from -128 to 127,
 *
 *      x = s n + rounding,  n = 65536 d0 + 256 d1 + d2        s: the row's largest number / 8355584
 *
 * and a sum of products is six sums of digits', those of one order together (what is left out is a part in 2^24):
 *
 *      a b = s t (2^32 a0 b0 + 2^24 (a0 b1 + a1 b0) + 2^16 (a0 b2 + a1 b1 + a2 b0))
 *
 * Ootomo, Ozaki and Yokota, "DGEMM on integer matrix multiplication unit" (2024), do so for doubles.
 *
 * How exact is it? Each number is off by three quarters of a unit at most, 1.5 / 2^24 of the largest in its row, where
 * a float is off by 1 / 2^24 of itself; what is left out adds 2 / 2^24 of the largest product to each, at its worst. A
 * number far below the largest keeps fewer bits than a float does, and as much of it as matters beside the largest one;
 * rows and columns do not disturb each other, nor do blocks of KC steps. In return nothing is rounded while a sum grows.
 * Of 64 products of normal numbers the sum is off by 1.7 times as much as one of floats in a row, of 256 by as much, of
 * 768 by two thirds; tests/kernels/test_long_products.c allows twice and 1.25 times. Short rows are multiplied in pieces of
 * floats (kernels/amx/tile_bf16.h). Who wants each number's own bits in long sums, too, has them with GRADUS_KERNELS=avx512.
 *
 * In attention (kernels/amx/attention.c) a row is a query, a key or a channel of one tile of 128: weights are measured
 * by the largest of their query or key there. Rows of its results and gradients are as near to the reference's as those
 * of floats, between 0.7 and 2 times their error in tests/kernels/test_attention_tiles.c.
 *
 * A row with NaN, an infinity or numbers from 2^100 on counts as zeros here, and is seen to by itself
 * (kernels/amx/gemm_int8.c). Of numbers, none of which reaches 2^-97, what is below 2^-120 is lost. */
#ifndef GRADUS_KERNELS_AMX_INTEGERS_H
#define GRADUS_KERNELS_AMX_INTEGERS_H

#include "tensor/kernels/amx/tile_bf16.h"

enum {
    DIGITS = 3,
    DIGIT_STEPS = 64,                 /* of k in a register: a lane holds steps l, l + REG, .. */
    DIGIT_BYTES = DIGITS * REG_BYTES, /* of REG rows and DIGIT_STEPS steps */
};

/* A matrix that becomes groups of REG rows (columns, of B) of digits: row r of `rows` and step l of `steps` stand at
 * x[r * row + l * step]. Group i begins at to + i * next; what lies beyond the matrix is 0. */
typedef struct {
    unsigned char *to;
    int64_t next;
    Side side;
    const float *x;
    int64_t row, step, rows, steps;
    float *scale; /* of each row: 2^16 units; 0 where it counts as zeros */
    bool tame;    /* no row did so far */
    const float *
        known; /* each row's largest number, without its sign, and as many more as fill a group: or NULL */
    int64_t at_row, at_step; /* where the register begins that is next, */
    int at_part;             /* how much of it is done, */
    bool measured;           /* and whether its rows' largest numbers are known */
    uint32_t largest[REG] __attribute__((aligned(64))); /* their bits */
    float units[REG] __attribute__((aligned(64)));      /* in a number 1 */
    union {
        float numbers[REG * DIGIT_STEPS];
        unsigned char digits[DIGIT_BYTES];
    } near __attribute__((aligned(64))); /* of a register whose numbers do not lie as they must */
} AmxDigits;

/* Of bits of floats without their signs, which are in the floats' order, infinities and NaN last. */
static inline __m512i larger_bits(__m512i most, __m512 x)
{
    return _mm512_max_epu32(most,
                            _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX)));
}

/* The larger of a's and b's pairs of lanes, theirs in turn. */
static inline __m512i larger_pairs(__m512i a, __m512i b)
{
    return _mm512_max_epu32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

/* The largest lane of each of four. */
static inline __m128i larger_lanes(const __m512i *four)
{
    /* four lanes of 0, 2, 1, 3 each, then one: */
    __m512i all = larger_pairs(larger_pairs(four[0], four[2]), larger_pairs(four[1], four[3]));
    all = _mm512_max_epu32(all, _mm512_shuffle_i32x4(all, all, _MM_SHUFFLE(1, 0, 3, 2)));
    all = _mm512_max_epu32(all, _mm512_shuffle_i32x4(all, all, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm512_castsi512_si128(all);
}

/* Begins one. Then, perhaps, d->known is set. Then so many parts of the work, or what is left, at each call; ends with
 * INT64_MAX of them. */
void amx_digits_begin(AmxDigits *d, unsigned char *to, int64_t next, Side side, float *scale,
                      const float *x, int64_t row, int64_t step, int64_t rows, int64_t steps);
void amx_digits_some(AmxDigits *d, int64_t parts);
/* How many it takes. */
int64_t amx_digits_parts(const AmxDigits *d);

/* C (m, n) = from + A B, of groups of so many steps, rounded up to DIGIT_STEPS. Strides of `from` may be 0. */
typedef struct {
    int64_t m, n, steps; /* at most PANEL rows */
    const unsigned char *a, *b;
    int64_t next; /* from one group to the next */
    const float *a_scale, *b_scale;
    float *c;
    int64_t c_row, c_column;
    const float *from; /* what C starts from: NULL for zeros, C itself to add, or a bias */
    int64_t from_row, from_column;
    AmxDigits *meanwhile; /* goes on by `some` at every step of every tile */
    int64_t some;
} AmxIntegers;

void amx_integers(const AmxIntegers *p);

/* Bytes of a group of so many steps. */
static inline int64_t amx_group_bytes(int64_t steps)
{
    return (steps + DIGIT_STEPS - 1) / DIGIT_STEPS * DIGIT_BYTES;
}

#endif
