/* pack.h: copying a block of a matrix together, in the order in which a product reads it
 * (internal).
 *
 *      panel:   step 0 | step 1 | ..          each one number from each of `width` rows, and zeros
 *                                             where the matrix ends
 *
 * Rows that are contiguous along the steps are turned in registers, W x W numbers at a time: interleaving
 * vectors i and i + W/2 for every i, log2 W times over, transposes. For W = 4, rows abcd, efgh, ijkl, mnop:
 *
 *      abcd + ijkl -> aibj ckdl      aibj + emfn -> aeim bfjn
 *      efgh + mnop -> emfn gohp      ckdl + gohp -> cgko dhlp
 */
#ifndef GRADUS_KERNELS_FAST_PACK_H
#define GRADUS_KERNELS_FAST_PACK_H

#include "tensor/kernels/simd/simd.h"

#if defined(__AVX512F__)
#define LOW_HALVES  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX2__)
#define LOW_HALVES  0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LOW_HALVES  0, 4, 1, 5
#define HIGH_HALVES 2, 6, 3, 7
#endif

/* The halves of a and b, interleaved: a0 b0 a1 b1 .. */
#ifdef __clang__
#define INTERLEAVE(a, b, halves) __builtin_shufflevector(a, b, halves)
#else
#define INTERLEAVE(a, b, halves) __builtin_shuffle(a, b, (Lanes){halves})
#endif

#if defined(__AVX512F__)
/* 16 x 16 numbers that are all there: the first four of rows r, r + 4, r + 8 and r + 12 come side by side from memory,
 * and so on; then pairs of rows are interleaved twice. Half of the steps below. */
static inline void turn_whole(float *to, int64_t to_step, const float *x, int64_t stride)
{
    for (int four = 0; four < 4; four++, x += 4, to += 4 * to_step) {
        __m512 row[4];
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            const float *at = x + r * stride;
            row[r] = _mm512_castps128_ps512(_mm_loadu_ps(at));
            row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(at + 4 * stride), 1);
            row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(at + 8 * stride), 2);
            row[r] = _mm512_insertf32x4(row[r], _mm_loadu_ps(at + 12 * stride), 3);
        }
        __m512d low = _mm512_castps_pd(_mm512_unpacklo_ps(row[0], row[1]));
        __m512d low2 = _mm512_castps_pd(_mm512_unpacklo_ps(row[2], row[3]));
        __m512d high = _mm512_castps_pd(_mm512_unpackhi_ps(row[0], row[1]));
        __m512d high2 = _mm512_castps_pd(_mm512_unpackhi_ps(row[2], row[3]));
        store(to, (Vector)_mm512_unpacklo_pd(low, low2));
        store(to + to_step, (Vector)_mm512_unpackhi_pd(low, low2));
        store(to + 2 * to_step, (Vector)_mm512_unpacklo_pd(high, high2));
        store(to + 3 * to_step, (Vector)_mm512_unpackhi_pd(high, high2));
    }
}
#endif

/* Rows x[0], x[stride], ..., of which the first `rows` are there, each of `steps` numbers, to columns of W
 * numbers `to_step` apart. rows, steps <= W. */
static inline void turn(float *to, int64_t to_step, const float *x, int64_t stride, int64_t rows,
                        int64_t steps)
{
    Vector v[W], turned[W];
#if defined(__AVX512F__)
    if (rows >= W && steps >= W) {
        turn_whole(to, to_step, x, stride);
        return;
    }
#endif
    for (int i = 0; i < W; i++)
        v[i] = i < rows ? load_some(x + i * stride, steps, 0) : (Vector){0};
    for (int half = W / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < W / 2; i++) {
            turned[2 * i] = INTERLEAVE(v[i], v[i + W / 2], LOW_HALVES);
            turned[2 * i + 1] = INTERLEAVE(v[i], v[i + W / 2], HIGH_HALVES);
        }
#pragma GCC unroll 16
        for (int i = 0; i < W; i++)
            v[i] = turned[i];
    }
    for (int i = 0; i < steps; i++)
        store(to + i * to_step, v[i]);
}

/* One panel, element by element: rows and steps of any stride. */
static inline void pack_any(float *to, int64_t width, const float *x, int64_t row, int64_t step,
                            int64_t rows, int64_t steps)
{
    for (int64_t l = 0; l < steps; l++, to += width)
        for (int64_t r = 0; r < width; r++)
            to[r] = r < rows ? x[r * row + l * step] : 0;
}

/* One panel of `width` numbers a step; the room behind it has W more. The matrix has `rows` rows from here on:
 * what is taken up beyond the width is overwritten by the next step, or never read. */
static inline void pack_panel(float *to, int64_t width, const float *x, int64_t row, int64_t step,
                              int64_t rows, int64_t steps)
{
    if (step == 1 && row != 1)
        for (int64_t l = 0; l < steps; l += W)
            for (int64_t r = 0; r < width; r += W)
                turn(to + l * width + r, width, x + r * row + l, row, rows - r,
                     steps - l < W ? steps - l : W);
    else if (row == 1)
        for (int64_t l = 0; l < steps; l++)
            for (int64_t r = 0; r < width; r += W)
                store(to + l * width + r, load_some(x + l * step + r, rows - r, 0));
    else
        pack_any(to, width, x, row, step, rows, steps);
}

/* `rows` rows, of the `there` that the matrix has from here on, as panels of `height` each, `next` apart. Where the
 * numbers of a step lie side by side, all panels take theirs before the next step: memory is read in its order. */
static inline void pack_panels(float *to, int64_t width, int64_t next, int64_t height,
                               const float *x, int64_t row, int64_t step, int64_t rows,
                               int64_t there, int64_t steps)
{
    if (row != 1) {
        for (int64_t i = 0; i < rows; i += height, to += next)
            pack_panel(to, width, x + i * row, row, step, there - i, steps);
        return;
    }
    for (int64_t l = 0; l < steps; l++, x += step, to += width) {
        float *panel = to;
        for (int64_t i = 0; i < rows; i += height, panel += next)
            for (int64_t r = 0; r < width; r += W)
                store(panel + r, load_some(x + i + r, there - i - r, 0));
    }
}

#endif
