/* kernels_fast_tiles.h: small matrices in scratch memory, copied together and multiplied (internal).
 *
 *      memory, any strides  -- gather -->  (rows, width), width in whole vectors, padded with 0
 *                           <- scatter_add --
 *
 *      product:   a_i [ ]  x  [ b 0 | b 1 ]  ->  acc[i][0] acc[i][1]      ROWS numbers of A times PAIR
 *                                                                       vectors of B, step after step
 *
 * Unlike the big product of kernels_fast.c nothing is packed: the tiles are in the nearest cache. */
#ifndef GRADUS_KERNELS_FAST_TILES_H
#define GRADUS_KERNELS_FAST_TILES_H

#include "tensor/kernels_fast.h"

/* The product's tile of registers is ROWS x PAIR vectors. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { ROWS = 8, PAIR = 2 };
#else
enum { ROWS = 4, PAIR = 2 };
#endif

static inline int64_t round_up(int64_t n)
{
    return (n + W - 1) / W * W;
}

/* rows x n from memory into rows of `width`, padded with 0. */
static inline void gather(float *to, int64_t width, const float *from, int64_t stride, int64_t rows,
                          int64_t n)
{
    for (int64_t r = 0; r < rows; r++, to += width, from += stride)
        for (int64_t c = 0; c < width; c += W)
            store(to + c, load_some(from + c, n - c, 0));
}

/* to[c][r] = scale * from[r][c], padded with 0 up to `across` in r. */
static inline void gather_across(float *to, int64_t tile, const float *from, int64_t stride,
                                 int64_t rows, int64_t n, int64_t across, float scale)
{
    for (int64_t c = 0; c < n; c++) {
        for (int64_t r = 0; r < rows; r++)
            to[c * tile + r] = scale * from[r * stride + c];
        for (int64_t r = rows; r < across; r++)
            to[c * tile + r] = 0;
    }
}

/* The way back: rows x n of memory += rows of `width`. */
static inline void scatter_add(float *to, int64_t stride, const float *from, int64_t width,
                               int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, to += stride, from += width)
        for (int64_t c = 0; c < n; c += W)
            store_some(to + c, load_some(to + c, n - c, 0) + load(from + c), n - c);
}

/* ROWS x nv vectors of C (+)= A B; nv is a constant at every call. */
static inline __attribute__((always_inline)) void micro(int nv, int64_t steps, const float *a,
                                                        int64_t a_row, int64_t a_step,
                                                        const float *b, int64_t b_step, float *c,
                                                        int64_t c_row, bool add)
{
    Vector acc[ROWS][PAIR] = {0};
    for (int64_t l = 0; l < steps; l++, a += a_step, b += b_step)
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
            for (int v = 0; v < nv; v++)
                acc[i][v] += a[i * a_row] * load(b + v * W);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int v = 0; v < nv; v++) {
            float *to = c + i * c_row + v * W;
            store(to, add ? acc[i][v] + load(to) : acc[i][v]);
        }
}

/* C (rows, columns) = or += A (rows, steps) B (steps, columns). Columns are whole vectors. Rows are
 * rounded up to ROWS: A and C have room for them, and what they get there is never read. */
static inline void product(int64_t rows, int64_t columns, int64_t steps, const float *a,
                           int64_t a_row, int64_t a_step, const float *b, int64_t b_step, float *c,
                           int64_t c_row, bool add)
{
    for (int64_t i = 0; i < rows; i += ROWS) {
        const float *from = a + i * a_row;
        float *to = c + i * c_row;
        int64_t j = 0;
        for (; j + PAIR * W <= columns; j += PAIR * W)
            micro(PAIR, steps, from, a_row, a_step, b + j, b_step, to + j, c_row, add);
        for (; j < columns; j += W)
            micro(1, steps, from, a_row, a_step, b + j, b_step, to + j, c_row, add);
    }
}

#endif
