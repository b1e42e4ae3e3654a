/* simd.h: vectors of floats, memory access, reductions and elementary functions for the SIMD
 * kernels (internal).
 *
 * A Vector holds W floats, W being the width of a register of the instruction set for which the
 * file is compiled (4, 8 or 16). The type is one of GNU C's vector extensions: + - * / and
 * comparisons work lane by lane.
 *
 *      x[0]  x[1]  ...  x[W-1] | x[W]  ...         a row in memory
 *     [ ----- one Vector ----- ]                   load_partial fills up the last vector of the row
 *
 * The build compiles every file of this folder once for each instruction set and defines ISA as the
 * set's name. A function that is not static carries that name (ISA_NAME), and every function in
 * this header is static: a function that two sets shared would run the instructions of one set on a
 * processor that lacks them. */
#ifndef GRADUS_KERNELS_SIMD_H
#define GRADUS_KERNELS_SIMD_H

#include "tensor/kernels/kernels.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* X86(operation) is the intrinsic function of this name for W lanes. */
#if defined(__AVX512F__)
enum { W = 16 };
#define X86(operation) _mm512_##operation
#elif defined(__AVX2__)
enum { W = 8 };
#define X86(operation) _mm256_##operation
#else
enum { W = 4 };
#ifdef __SSE2__
#define X86(operation) _mm_##operation
#endif
#endif

/* The arithmetic type, aligned to its size; comparisons of two Vectors give Lanes. Stored is the
 * same number of floats at any address: loads and stores through it are unaligned, and may_alias
 * permits them on memory of another type. */
typedef float Vector __attribute__((vector_size(4 * W)));
typedef int32_t Lanes
    __attribute__((vector_size(4 * W))); /* of a comparison: -1 for true, 0 for false */
typedef Vector Stored __attribute__((aligned(4), may_alias)); /* at any address */

/* So many vectors, which do not depend on each other, are computed side by side where each is a
 * long chain of operations: the instructions of one run while those of another wait for their
 * operands. */
enum { BATCH = 4 };

/* The cost of an element, in additions. parallel_grain (tensor/threads/parallel.h) decides from
 * this estimate whether an array is long enough for a second thread. */
enum { COST_ADD = 1, COST_EXP = 3 };

/* A sum down a column adds up so many rows in a float before it adds them to the total, so that
 * rounding does not grow with the number of rows. So many strips of W columns proceed side by
 * side. */
enum { FLOAT_ROWS = 64, STRIPS = 4 };

#define JOIN_(a, b)    a##b
#define JOIN(a, b)     JOIN_(a, b)
#define ISA_NAME(name) JOIN(name##_, ISA)

/* The set's kernels, one function each (simd.c makes a table of them). */
#define KERNEL(entry, Signature)
#define FAST_KERNEL(entry, Signature) Signature ISA_NAME(entry);
#include "tensor/kernels/list.h"

/* The calling thread's part of the scratch memory; for use inside the body of a parallel_for. */
static inline void *scratch_part(KernelScratch scratch)
{
    return scratch.bytes + (size_t)parallel_part() * KERNEL_SCRATCH_BYTES;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* W floats from x on, and to y on. All W must exist; load_partial and store_partial serve the end
 * of a row. */
static inline Vector load(const float *x)
{
    return *(const Stored *)x;
}

static inline void store(float *y, Vector v)
{
    *(Stored *)y = v;
}

/* x in every lane. Subtracting a vector of zeros converts the scalar and, unlike adding one, keeps
 * -0. */
static inline Vector fill_lanes(float x)
{
    return x - (Vector){0};
}

/* The first `left` floats at x; the lanes beyond them hold `other`.
 * The copy through memory is slow, so that a loop calls it once, for the last vector. */
static inline Vector load_partial(const float *x, int64_t left, float other)
{
    if (left >= W)
        return load(x);
    float part[W];
    for (int i = 0; i < W; i++)
        part[i] = i < left ? x[i] : other;
    return load(part);
}

/* Stores the first `left` lanes of v, and all W where left >= W. Nothing beyond them is written,
 * so that a neighbour's memory, which another thread may own, stays as it is. */
static inline void store_partial(float *y, Vector v, int64_t left)
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

/* ---- operations on lanes --------------------------------------------------------------------- */

/* Lane by lane: a where the mask is -1, b where it is 0.
 * No multiplication: 0 times NaN would be NaN. */
static inline Vector select_lanes(Lanes mask, Vector a, Vector b)
{
    return (Vector)((mask & (Lanes)a) | (~mask & (Lanes)b));
}

/* Lane by lane, a > b ? a : b and a < b ? a : b: the result is b where either operand is NaN, so
 * that vector_max(x, m) ignores a NaN in x and keeps m, whereas vector_max(m, x) passes it on. x86
 * has an instruction for exactly this, which compilers do not derive from the comparison. */
static inline Vector vector_max(Vector a, Vector b)
{
#ifdef X86
    return X86(max_ps)(a, b);
#else
    return select_lanes(a > b, a, b);
#endif
}

static inline Vector vector_min(Vector a, Vector b)
{
#ifdef X86
    return X86(min_ps)(a, b);
#else
    return select_lanes(a < b, a, b);
#endif
}

/* a b + c, rounded once. The compilers may make this of any a * b + c (-ffp-contract=fast), but
 * clang does so only where both operations stand in the same basic block: where one loop has
 * several forms, and a thread's share decides which one computes an element, it is written out. */
static inline Vector multiply_add(Vector a, Vector b, Vector c)
{
#if defined(X86) && defined(__FMA__)
    return X86(fmadd_ps)(a, b, c);
#elif defined(__aarch64__)
    return (Vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* Both reductions fold the upper half of the lanes onto the lower half: the order of additions is
 * fixed. AVX-512 has the same folding as a sequence of instructions, which the intrinsics
 * generate. */
static inline float horizontal_sum(Vector v)
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

static inline float horizontal_max(Vector v)
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

/* The sum of a row, in double, because the sum over a whole tensor may cancel. Sixteen partial sums
 * on every instruction set, so that every set adds in the same order. A float's sum would lose the
 * low bits of small elements beside a large total. */
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

/* sum_i a_i b_i: a float sum in each lane within blocks of 4096 elements, the blocks' totals added
 * in double. With 4096 terms at most in 4 W lanes, each lane adds at most 256 products in float. */
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
            sum[0] += load_partial(a + i, end - i, 0) * load_partial(b + i, end - i, 0);
        total += (double)horizontal_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
    return total;
}

/* Adds zeros to the sums, or NaN where a NaN or an infinity is among the n floats at x: 0 times it
 * is NaN. Four sums side by side, since each addition waits for the one before. */
static inline void add_non_finite(Vector sum[4], const float *x, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 * W <= n; i += 4 * W)
        for (int k = 0; k < 4; k++)
            sum[k] += 0 * load(x + i + k * W);
    for (; i < n; i += W)
        sum[0] += 0 * load_partial(x + i, n - i, 0);
}

static inline bool sum_is_finite(const Vector sum[4])
{
    return horizontal_sum((sum[0] + sum[1]) + (sum[2] + sum[3])) == 0;
}

/* ---- elementary functions -------------------------------------------------------------------- */

/* Horner's rule; fit[0] is the coefficient of the highest power, and n is a constant at every
 * call. */
static inline __attribute__((always_inline)) Vector polynomial(Vector x, const float *fit, int n)
{
    Vector p = fill_lanes(fit[0]);
#pragma GCC unroll 32
    for (int i = 1; i < n; i++)
        p = p * x + fit[i];
    return p;
}

/* e^x = 2^n e^r: returns e^r and stores n + 1.5 * 2^23, whose low bits are n as an integer.
 *
 *   x = n ln 2 + r,  |r| <= ln 2 / 2,     e^r = 1 + r + r^2 p(r)
 *
 * Adding 1.5 * 2^23 shifts the fraction out of the mantissa, so that n is x / ln 2 rounded to the
 * nearest integer. ln 2 is subtracted in two parts, the first of which has so few bits that n times
 * it is exact (Cody and Waite, "Software Manual for the Elementary Functions", 1980). The
 * polynomial is a minimax fit (relative error of e^r: 3e-9). */
#define ROUNDER 0x1.8p23f
static inline Vector exp_reduced(Vector x, Vector *shifted)
{
    *shifted = x * 1.44269504f + ROUNDER;
    Vector n = *shifted - ROUNDER;
    Vector r = x - n * 0.693359375f - n * -2.12194440e-4f;
    Vector p = r * 1.381459639e-3f + 8.368717091e-3f;
    p = p * r + 4.166838809e-2f;
    p = p * r + 1.666652063e-1f;
    p = p * r + 4.999999345e-1f;
    return 1 + (r + r * r * p);
}

/* y 2^n for a whole n from -152 to 129, given as n + ROUNDER. The result is exact even near the
 * ends of the range of a float, where 2^n itself is not representable: two halves of n are applied
 * one after the other, each as a float's exponent. */
static inline Vector times_power_of_two(Vector y, Vector shifted)
{
#if defined(__AVX512F__)
    return (Vector)_mm512_scalef_ps((__m512)y, (__m512)(shifted - ROUNDER));
#else
    const int32_t zero = 0x4b400000; /* the bits of ROUNDER: n = 0 */
    Lanes n = (Lanes)shifted - zero, half = n >> 1;
    return y * (Vector)((half + 127) << 23) * (Vector)((n - half + 127) << 23);
#endif
}

/* e^x with an error of about 1 unit in the last place. NaN stays NaN; large x give infinity, small
 * x give 0. */
static inline Vector exp_lanes(Vector x)
{
    Vector shifted, y = exp_reduced(vector_max(fill_lanes(-105), vector_min(fill_lanes(89), x)),
                                    &shifted); /* a NaN stays NaN */
    return times_power_of_two(y, shifted);
}

/* e^x for a softmax weight, of which none is above 1: x is at most 0 except for rounding, and an x
 * above 0 gives 1. The result is exactly 0 where e^x is below the smallest normal float, and for a
 * masked score of -infinity: computing with such a denormal number would take a processor as long
 * as thirty ordinary operations. What is computed for such an x, NaN perhaps, is replaced. */
static inline Vector weight_lanes(Vector x)
{
    const Vector least = fill_lanes(-87);
    Vector shifted, y = exp_reduced(vector_min((Vector){0}, x), &shifted);
#if defined(__AVX512F__)
    __mmask16 counts = _mm512_cmp_ps_mask((__m512)x, (__m512)least, _CMP_NLT_UQ);
    return (Vector)_mm512_maskz_scalef_ps(counts, (__m512)y, (__m512)(shifted - ROUNDER));
#else
    /* n is added to y's exponent: from -125 to 0 the result stays a normal float. The shift makes 0
     * of a NaN's low bits, and y stays NaN. */
    typedef uint32_t Bits __attribute__((vector_size(4 * W))); /* which may overflow */
    Vector power = (Vector)((Bits)y + ((Bits)shifted << 23));
    return select_lanes(x < least, (Vector){0}, power);
#endif
}

/* 1 / x with an error of about 1 unit in the last place. A division of 16 floats takes as long as
 * 30 multiplications. So an approximation of 14 bits is refined by one step of Newton's method, r +
 * r (1 - x r); the minimum with 1 keeps that step from making NaN of the reciprocal of an infinite
 * x. */
static inline Vector reciprocal(Vector x)
{
#if defined(__AVX512F__)
    Vector guess = (Vector)_mm512_rcp14_ps((__m512)x);
    return guess + guess * vector_min(1 - x * guess, fill_lanes(1));
#else
    return 1 / x;
#endif
}

/* |x|, lane by lane. */
static inline Vector absolute_lanes(Vector x)
{
    return (Vector)((Lanes)x & 0x7fffffff);
}

/* 1 / (1 + e^-x). For very negative x the exponential is infinite, and its reciprocal 0. */
static inline Vector sigmoid_lanes(Vector x)
{
    return reciprocal(1 + exp_lanes(-x));
}

/* The natural logarithm of a normal x > 0, with an error of about 1 unit in the last place: x = 2^k
 * m with m between sqrt(1/2) and sqrt(2), log x = k log 2 + log m, and, with f = m - 1, a minimax
 * fit computed for this project, log (1 + f) = f - f^2 / 2 + f^3 p(f) (relative error 6e-9). */
static inline Vector log_normal_lanes(Vector x)
{
    const int32_t root = 0x3f3504f3; /* the bits of sqrt(1/2), where m begins */
    Lanes k = ((Lanes)x - root) >> 23;
    Vector f = (Vector)((Lanes)x - (k << 23)) - 1, whole = __builtin_convertvector(k, Vector);
    static const float fit[] = {-7.635468990e-2f, 1.276325285e-1f,  -1.316061765e-1f,
                                1.420156509e-1f,  -1.662329584e-1f, 2.000123262e-1f,
                                -2.500082254e-1f, 3.333333135e-1f};
    Vector p = polynomial(f, fit, 8), square = f * f;
    return (whole * 0.693359375f + f) + (f * square * p - 0.5f * square + whole * -2.12194440e-4f);
}

/* log(1 + e^-|x|) + max(x, 0). The sum u = 1 + e rounds away the last bits of a small e. Their
 * contribution is restored to first order as (e - (u - 1)) / u, the derivative of the logarithm
 * times the rounding error. */
static inline Vector softplus_lanes(Vector x)
{
    Vector e = exp_lanes(-absolute_lanes(x)), u = 1 + e;
    return vector_max(x, (Vector){0}) + (log_normal_lanes(u) + (e - (u - 1)) * reciprocal(u));
}

#endif
