/* quantised.c: products with int8 or int16 weights, for autoregressive decoding.
 *
 *    row 0  | w w w .. |  8 or 16 bits each  W weights become floats at a time, are multiplied by W elements
 *    row 1  | w w w .. |                     of x and added; eight rows proceed side by side, so that no
 *    ..                                      addition waits for the one before. The row's scale comes last.
 *
 * Reading the weights takes most of the time of a token. 255 tokens of a model with 10.6 million
 * weights, two threads: 222 ms with floats, 127 with 16 bits, 87 with 8 (./gradus bench --only
 * generate, a Xeon with AVX-512, gcc 12 -O3, 2026-11-21).
 *
 * A weight w (an integer) times its row's scale is the weight that was quantised
 * (nn/decode/quantised.c); the scale is applied once to the whole sum: y_o = scale_o sum_i x_i
 * w_oi + bias_o. Activations stay floats. Sums are floats, one in each lane. */
#include "tensor/kernels/simd/simd.h"

/* Widens W integers from memory to 32-bit lanes. x86 has an instruction for this, which compilers
 * do not derive from a loop. */
#if defined(__AVX512F__)
#define WIDEN_INT8(at)  (Lanes) _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(at)))
#define WIDEN_INT16(at) (Lanes) _mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)(at)))
#elif defined(__AVX2__)
#define WIDEN_INT8(at)  (Lanes) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(at)))
#define WIDEN_INT16(at) (Lanes) _mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)(at)))
#else
#define WIDEN_INT8(at)  ((Lanes){(at)[0], (at)[1], (at)[2], (at)[3]})
#define WIDEN_INT16(at) WIDEN_INT8(at)
_Static_assert(W == 4, "lanes are listed one by one");
#endif

/* W weights from i on, as floats. `bits` is a constant at every call.
 * The branch on `bits` disappears. */
static inline __attribute__((always_inline)) Vector weights_at(const void *numbers, int bits,
                                                               int64_t i)
{
    const int8_t *bytes = numbers;
    const int16_t *halves = numbers;
    return __builtin_convertvector(bits == 8 ? WIDEN_INT8(bytes + i) : WIDEN_INT16(halves + i),
                                   Vector);
}

/* One weight, for the elements that do not fill a vector. */
static inline float weight_at(const void *numbers, int bits, int64_t i)
{
    return bits == 8 ? ((const int8_t *)numbers)[i] : ((const int16_t *)numbers)[i];
}

enum { ROWS_AT_ONCE = 8 };

/* `count`, a constant, rows of W from o on times row r of x. A cache line of 64 bytes holds 64
 * * 8 / bits weights; once for each line, the line that the next `count` rows will read is
 * prefetched. */
static inline __attribute__((always_inline)) void row_products(const QuantisedProduct *p, int bits,
                                                               int count, int64_t o, int64_t r)
{
    const float *x = p->x + r * p->in;
    const void *w = p->weight->numbers;
    Vector sum[ROWS_AT_ONCE] = {0};
    float rest[ROWS_AT_ONCE] = {0};
    int64_t i = 0;
    for (; i + W <= p->in; i += W) {
        Vector some = load(x + i);
#pragma GCC unroll 8
        for (int k = 0; k < count; k++) {
            const int64_t at = (o + k) * p->in + i;
            sum[k] += some * weights_at(w, bits, at);
            if (i % (64 * 8 / bits) == 0)
                __builtin_prefetch((const char *)w + (at + count * p->in) * bits / 8);
        }
    }
    for (; i < p->in; i++)
        for (int k = 0; k < count; k++)
            rest[k] += x[i] * weight_at(w, bits, (o + k) * p->in + i);
    for (int k = 0; k < count; k++) {
        float all = p->weight->scale[o + k] * (horizontal_sum(sum[k]) + rest[k]);
        p->y[r * p->out + o + k] = all + (p->bias ? p->bias[o + k] : 0);
    }
}

/* The outputs begin to end - 1 of all rows of x. Eight rows of W are used for every row of x
 * before the next eight, so that memory delivers each weight once. */
static inline __attribute__((always_inline)) void rows(const QuantisedProduct *p, int bits,
                                                       int64_t begin, int64_t end)
{
    int64_t o = begin;
    for (; o + ROWS_AT_ONCE <= end; o += ROWS_AT_ONCE)
        for (int64_t r = 0; r < p->rows; r++)
            row_products(p, bits, ROWS_AT_ONCE, o, r);
    for (; o < end; o++)
        for (int64_t r = 0; r < p->rows; r++)
            row_products(p, bits, 1, o, r);
}

/* The body of parallel_for. The two calls of rows make two copies of the loops, with `bits` a
 * constant in each. */
static void quantised_body(int64_t begin, int64_t end, void *context)
{
    const QuantisedProduct *p = context;
    if (p->weight->bits == 8)
        rows(p, 8, begin, end);
    else
        rows(p, 16, begin, end);
}

/* The kernel `quantised_product`. One thread owns an output neuron, so that each sum has one order
 * of additions. */
static void quantised_product(const QuantisedProduct *p)
{
    parallel_for(p->out, parallel_grain(p->rows * p->in / 8), quantised_body, (void *)p);
}

void ISA_NAME(kernels_fill_quantised)(Kernels *k)
{
    k->quantised_product = quantised_product;
}
