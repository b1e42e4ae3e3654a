/* pack.h: packing: copies a block of a matrix in the order in which the micro-kernel reads it
 * (internal).
 *
 *      panel:  step 0 | step 1 | ..  each step holds one element of each of `width` rows, and zeros
 *                                    beyond the end of the matrix
 *
 * Rows that are contiguous along the steps are transposed in registers, W x W elements at a time:
 * interleaving the vectors i and i + W/2 for every i, log2 W times, transposes. For W = 4 and the
 * rows abcd, efgh, ijkl, mnop:
 *
 *      abcd + ijkl -> aibj ckdl      aibj + emfn -> aeim bfjn
 *      efgh + mnop -> emfn gohp      ckdl + gohp -> cgko dhlp */
#ifndef GRADUS_KERNELS_SIMD_PACK_H
#define GRADUS_KERNELS_SIMD_PACK_H

#include "tensor/kernels/simd/microkernel.h"

/* So many steps, or vectors of steps, ahead is prefetched what is packed: by itself a processor
 * prefetches no further than the end of a page, and a row of a large matrix is another page. What
 * spans at most FAR floats is in the second-level cache already, or is soon. */
enum { AHEAD = 4, FAR = 1 << 16 };

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

/* The lower or upper halves of a and b, interleaved: a0 b0 a1 b1 .. */
#ifdef __clang__
#define INTERLEAVE(a, b, halves) __builtin_shufflevector(a, b, halves)
#else
#define INTERLEAVE(a, b, halves) __builtin_shuffle(a, b, (Lanes){halves})
#endif

#if defined(__AVX512F__)
/* Transposes 16 x 16 elements. A load puts the first four elements of the rows r, r + 4, r + 8 and
 * r + 12 side by side, which does the work of two of the four rounds of interleaving; two rounds
 * remain. */
static inline void transpose_full(float *to, int64_t to_step, const float *x, int64_t stride)
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

/* Transposes the rows x[0], x[stride], ..., of which the first `rows` exist, each of `steps`
 * elements, into columns of W elements that are `to_step` apart. rows, steps <= W. */
static inline void transpose(float *to, int64_t to_step, const float *x, int64_t stride,
                             int64_t rows, int64_t steps)
{
    Vector v[W], interleaved[W];
#if defined(__AVX512F__)
    if (rows >= W && steps >= W) {
        transpose_full(to, to_step, x, stride);
        return;
    }
#endif
    for (int i = 0; i < W; i++)
        v[i] = i < rows ? load_partial(x + i * stride, steps, 0) : (Vector){0};
    for (int half = W / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < W / 2; i++) {
            interleaved[2 * i] = INTERLEAVE(v[i], v[i + W / 2], LOW_HALVES);
            interleaved[2 * i + 1] = INTERLEAVE(v[i], v[i + W / 2], HIGH_HALVES);
        }
#pragma GCC unroll 16
        for (int i = 0; i < W; i++)
            v[i] = interleaved[i];
    }
    for (int i = 0; i < steps; i++)
        store(to + i * to_step, v[i]);
}

/* One panel of a matrix with any strides, element by element.
 * The last resort, where neither the rows nor the steps are contiguous. */
static inline void pack_strided(float *to, int64_t width, const float *x, int64_t row, int64_t step,
                                int64_t rows, int64_t steps)
{
    for (int64_t l = 0; l < steps; l++, to += width)
        for (int64_t r = 0; r < width; r++)
            to[r] = r < rows ? x[r * row + l * step] : 0;
}

/* One panel of `width` elements a step; the buffer after the panel has W more. The matrix has
 * `rows` rows from here on: elements beyond the width are overwritten by the next step or never
 * read. */
static inline void pack_panel(float *to, int64_t width, const float *x, int64_t row, int64_t step,
                              int64_t rows, int64_t steps)
{
    if (step == 1 && row != 1)
        for (int64_t l = 0; l < steps; l += W)
            for (int64_t r = 0; r < width; r += W) {
                for (int64_t i = 0; i < W && l + AHEAD * W < steps; i++)
                    __builtin_prefetch(x + (r + i) * row + l + AHEAD * W);
                transpose(to + l * width + r, width, x + r * row + l, row, rows - r,
                          steps - l < W ? steps - l : W);
            }
    else if (row == 1)
        for (int64_t l = 0; l < steps; l++)
            for (int64_t r = 0; r < width; r += W)
                store(to + l * width + r, load_partial(x + l * step + r, rows - r, 0));
    else
        pack_strided(to, width, x, row, step, rows, steps);
}

/* Packs `rows` rows, of the `there` rows that the matrix has from here on, as panels of `height`
 * rows, `next` apart. Where the elements of a step are contiguous, all panels receive theirs before
 * the next step, so that memory is read in order. Otherwise the panels are packed one after the
 * other. The order does not matter for the result. */
static inline void pack_panels(float *to, int64_t width, int64_t next, int64_t height,
                               const float *x, int64_t row, int64_t step, int64_t rows,
                               int64_t there, int64_t steps)
{
    if (row != 1) {
        for (int64_t i = 0; i < rows; i += height, to += next)
            pack_panel(to, width, x + i * row, row, step, there - i, steps);
        return;
    }
    const bool far = step * steps > FAR;
    const int64_t vectors = (width + W - 1) / W * W;
    for (int64_t l = 0; l < steps; l++, x += step, to += width) {
        float *panel = to;
        int64_t i = 0;
        for (int64_t line = 0; far && line < rows; line += LINE)
            __builtin_prefetch(x + line + AHEAD * step);
        for (; i < rows && i + vectors <= there; i += height, panel += next)
            for (int64_t r = 0; r < width; r += W)
                store(panel + r, load(x + i + r));
        for (; i < rows; i += height, panel += next) /* the edge of the matrix */
            for (int64_t r = 0; r < width; r += W)
                store(panel + r, load_partial(x + i + r, there - i - r, 0));
    }
}

#endif
