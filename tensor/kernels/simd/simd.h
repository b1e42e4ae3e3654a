/* simd.h: lanes, for the fast kernels (internal).
 *
 * A Vector is W floats that one instruction works on, W being exactly the width of the instruction set
 * that the file is compiled for. GNU vector extensions: + - * / and comparisons go lane by lane.
 *
 *      x[0]  x[1]  ...  x[W-1] | x[W]  ...            a row of memory
 *     [ ----- one Vector ----- ]                      load_some fills up the last, partial one
 *
 * Every file of a set is compiled once for each ISA. Whatever is not static carries the ISA in its name
 * (FAST), and every function here is static: a function shared between sets would run one set's
 * instructions on a processor that lacks them. */
#ifndef GRADUS_KERNELS_FAST_H
#define GRADUS_KERNELS_FAST_H

#include "tensor/kernels/kernels.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { W = 16 };
#elif defined(__AVX2__)
enum { W = 8 };
#else
enum { W = 4 };
#endif

typedef float Vector __attribute__((vector_size(4 * W)));
typedef int32_t Lanes __attribute__((vector_size(4 * W)));    /* of a comparison: -1 or 0 */
typedef Vector Stored __attribute__((aligned(4), may_alias)); /* one anywhere in memory   */

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define FAST(name)  JOIN(name##_, ISA)

/* Each file writes its own kernels over those of the reference. */
void FAST(kernels_fill)(Kernels *k);
void FAST(kernels_fill_gemm)(Kernels *k);
void FAST(kernels_fill_elements)(Kernels *k);
void FAST(kernels_fill_functions)(Kernels *k);
void FAST(kernels_fill_rows)(Kernels *k);
void FAST(kernels_fill_sums)(Kernels *k);
void FAST(kernels_fill_losses)(Kernels *k);
void FAST(kernels_fill_attention)(Kernels *k);
void FAST(kernels_fill_axis)(Kernels *k);
void FAST(kernels_fill_conv)(Kernels *k);
void FAST(kernels_fill_quantised)(Kernels *k);

/* The room of the thread that asks, inside of a body. */
static inline void *scratch_part(KernelScratch scratch)
{
    return scratch.bytes + (size_t)parallel_part() * KERNEL_SCRATCH_BYTES;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static inline Vector load(const float *x)
{
    return *(const Stored *)x;
}

static inline void store(float *y, Vector v)
{
    *(Stored *)y = v;
}

static inline Vector splat(float x)
{
    return x - (Vector){0};
}

/* The vector at x, of which only the first `left` numbers are there; `other` stands for the rest. */
static inline Vector load_some(const float *x, int64_t left, float other)
{
    if (left >= W)
        return load(x);
    float part[W];
    for (int i = 0; i < W; i++)
        part[i] = i < left ? x[i] : other;
    return load(part);
}

static inline void store_some(float *y, Vector v, int64_t left)
{
    if (left >= W) {
        store(y, v);
        return;
    }
    float part[W];
    store(part, v);
    for (int i = 0; i < W; i++)
        if (i < left)
            y[i] = part[i];
}

/* Asks for the line of memory at x, to be read or written some hundred steps later: it comes while others are
 * worked on, where the processor would otherwise compute, wait, compute, wait. It may lie beyond the end. */
static inline void prefetch_read(const float *x)
{
    __builtin_prefetch(x, 0);
}

static inline void prefetch_write(float *y)
{
    __builtin_prefetch(y, 1);
}

/* ---- between lanes --------------------------------------------------------------------------------- */

/* Lane by lane: a where the mask is -1, b where it is 0. */
static inline Vector choose(Lanes mask, Vector a, Vector b)
{
    return (Vector)((mask & (Lanes)a) | (~mask & (Lanes)b));
}

/* a > b ? a : b, and a < b ? a : b, lane by lane, so b where one is NaN. x86 has an instruction for just this,
 * which compilers do not find. */
#if defined(__AVX512F__)
#define LARGER(a, b)  (Vector) _mm512_max_ps((__m512)(a), (__m512)(b))
#define SMALLER(a, b) (Vector) _mm512_min_ps((__m512)(a), (__m512)(b))
#elif defined(__AVX2__)
#define LARGER(a, b)  (Vector) _mm256_max_ps((__m256)(a), (__m256)(b))
#define SMALLER(a, b) (Vector) _mm256_min_ps((__m256)(a), (__m256)(b))
#elif defined(__SSE2__)
#define LARGER(a, b)  (Vector) _mm_max_ps((__m128)(a), (__m128)(b))
#define SMALLER(a, b) (Vector) _mm_min_ps((__m128)(a), (__m128)(b))
#else
#define LARGER(a, b)  choose((a) > (b), a, b)
#define SMALLER(a, b) choose((a) < (b), a, b)
#endif

static inline Vector larger(Vector a, Vector b)
{
    return LARGER(a, b);
}

static inline Vector smaller(Vector a, Vector b)
{
    return SMALLER(a, b);
}

/* Halves are folded onto each other: one order, whatever the lanes hold. */
static inline float lanes_sum(Vector v)
{
#if defined(__AVX512F__)
    return _mm512_reduce_add_ps((__m512)v);
#endif
    float x[W];
    store(x, v);
    for (int half = W / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            x[i] += x[i + half];
    return x[0];
}

static inline float lanes_max(Vector v)
{
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)v);
#endif
    float x[W];
    store(x, v);
    for (int half = W / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            x[i] = x[i] > x[i + half] ? x[i] : x[i + half];
    return x[0];
}

/* The sum of a row, in double: what is summed over a whole tensor may cancel. Sixteen sums side by side,
 * on every instruction set. */
static inline double sum_of(const float *x, int64_t n)
{
    double sum[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int l = 0; l < 16; l++)
            sum[l] += (double)x[i + l];
    for (int l = 0; i < n; i++, l++)
        sum[l] += (double)x[i];
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

/* sum_i a_i b_i: in lanes within stretches of 4096 numbers, whose totals are added in double. */
static inline double dot_of(const float *a, const float *b, int64_t n)
{
    double total = 0;
    for (int64_t begin = 0; begin < n; begin += 4096) {
        int64_t i = begin, end = n - begin < 4096 ? n : begin + 4096;
        Vector sum[4] = {0};
        for (; i + 4 * W <= end; i += 4 * W)
            for (int v = 0; v < 4; v++)
                sum[v] += load(a + i + v * W) * load(b + i + v * W);
        for (; i < end; i += W)
            sum[0] += load_some(a + i, end - i, 0) * load_some(b + i, end - i, 0);
        total += (double)lanes_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return total;
}

/* ---- functions -------------------------------------------------------------------------------------- */

/* The highest power's coefficient first; n is a constant at every call. */
static inline __attribute__((always_inline)) Vector polynomial(Vector x, const float *fit, int n)
{
    Vector p = splat(fit[0]);
#pragma GCC unroll 32
    for (int i = 1; i < n; i++)
        p = p * x + fit[i];
    return p;
}

/* y 2^n, n whole and from -152 to 129, right where the result is near an end of the range of a float, for which
 * 2^n alone has no room: it is applied in two halves, each written where a float keeps its exponent. */
static inline Vector times_power_of_two(Vector y, Vector n)
{
#if defined(__AVX512F__)
    return (Vector)_mm512_scalef_ps((__m512)y, (__m512)n);
#else
    Lanes whole = __builtin_convertvector(n, Lanes), half = whole >> 1;
    return y * (Vector)((half + 127) << 23) * (Vector)((whole - half + 127) << 23);
#endif
}

/* e^x = 2^n e^r: n, and returned e^r.
 *
 *   x = n ln 2 + r,  |r| <= ln 2 / 2,     e^r = 1 + r + r^2 p(r)
 *
 * Adding 1.5 * 2^23 leaves no room for a fraction: the sum's last bits are n, rounded. ln 2 is taken off
 * in two parts, of which the first has so few bits that n times it is exact. The polynomial is a minimax
 * fit (relative error of e^r: 3e-9). */
static inline Vector exp_rest(Vector x, Vector *n)
{
    const float rounder = 0x1.8p23f;
    Vector whole = x * 1.44269504f + rounder - rounder;
    Vector r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
    Vector p = r * 1.381459639e-3f + 8.368717091e-3f;
    p = p * r + 4.166838809e-2f;
    p = p * r + 1.666652063e-1f;
    p = p * r + 4.999999345e-1f;
    *n = whole;
    return 1 + (r + r * r * p);
}

/* e^x, right to about 1 unit in the last place; NaN stays, too large gives infinity, too small 0. */
static inline Vector exp_lanes(Vector x)
{
    Vector n, y = exp_rest(larger(splat(-105), smaller(splat(89), x)), &n); /* a NaN stays */
    return times_power_of_two(y, n);
}

/* The same for a weight, of which none is above 1: x is at most 0 but for rounding, and what rounding puts above 0
 * gives 1. Exactly 0 where a float has no full precision left, as for a hidden score of -infinity. Making such a number, or a 0 by underflow, takes a processor as
 * long as thirty others. */
static inline Vector weight_lanes(Vector x)
{
    const Vector least = splat(-87);
    Vector n, y = exp_rest(larger(least, smaller((Vector){0}, x)), &n);
#if defined(__AVX512F__)
    __mmask16 counts = _mm512_cmp_ps_mask((__m512)x, (__m512)least, _CMP_NLT_UQ);
    return (Vector)_mm512_maskz_scalef_ps(counts, (__m512)y, (__m512)n);
#else
    return choose(x < least, (Vector){0}, times_power_of_two(y, n));
#endif
}

/* 1 / x, right to about 1 unit in the last place. Dividing 16 floats takes as long as 30 multiplications: a
 * first guess of 14 bits is made twice as long by a step of Newton's, r + r (1 - x r), which an infinite x
 * (where that is NaN) must not spoil. */
static inline Vector reciprocal(Vector x)
{
#if defined(__AVX512F__)
    Vector guess = (Vector)_mm512_rcp14_ps((__m512)x);
    return guess + guess * smaller(1 - x * guess, splat(1));
#else
    return 1 / x;
#endif
}

/* The lanes' distance from zero. */
static inline Vector absolute_lanes(Vector x)
{
    return (Vector)((Lanes)x & 0x7fffffff);
}

static inline Vector sigmoid_lanes(Vector x)
{
    return reciprocal(1 + exp_lanes(-x));
}

/* The natural logarithm, right to about 1 unit in the last place, of x > 0 that is not too small for an exponent of
 * its own: x = 2^k m with m around 1, log x = k log 2 + log m, and with f = m - 1 a minimax fit of our own,
 * log (1 + f) = f - f^2 / 2 + f^3 p(f) (relative error 6e-9). */
static inline Vector log_normal_lanes(Vector x)
{
    const int32_t root = 0x3f3504f3; /* the bits of sqrt(1/2): m runs from there to sqrt(2) */
    Lanes k = ((Lanes)x - root) >> 23;
    Vector f = (Vector)((Lanes)x - (k << 23)) - 1, whole = __builtin_convertvector(k, Vector);
    static const float fit[] = {-7.635468990e-2f, 1.276325285e-1f,  -1.316061765e-1f,
                                1.420156509e-1f,  -1.662329584e-1f, 2.000123262e-1f,
                                -2.500082254e-1f, 3.333333135e-1f};
    Vector p = polynomial(f, fit, 8), square = f * f;
    return (whole * 0.693359375f + f) + (f * square * p - 0.5f * square + whole * -2.12194440e-4f);
}

/* log(1 + e^-|x|) + max(x, 0). Of u = 1 + e the last digits of a small e are lost; (e - (u - 1)) / u, the slope
 * of the logarithm times what was lost, brings them back. */
static inline Vector softplus_lanes(Vector x)
{
    Vector e = exp_lanes(-absolute_lanes(x)), u = 1 + e;
    return larger(x, (Vector){0}) + (log_normal_lanes(u) + (e - (u - 1)) * reciprocal(u));
}

#endif
