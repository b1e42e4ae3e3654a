/* pack_bf16.c: slices floats into panels of bfloat16.
 *
 *      step l       x  x  x ..  a row of a tile register      lane:  | l, slice p | l + 16, slice p |
 *      step l + 16  y  y  y ..  holds two steps                      `-- 2 bytes -'----- 2 bytes ---'
 *
 * The tile unit adds the products of pairs of steps, whichever steps these are. With 16 steps between them, a row is one
 * vector shifted and blended with another, and no element changes its lane. Where the matrix has the other layout,
 * 16 x 16 floats are transposed in registers first (kernels/simd/pack.h). */
#include "tensor/kernels/amx/tile_bf16.h"
#include "tensor/kernels/simd/pack.h"

/* The upper halves of the lanes of a and b, interleaved.
 * The lower 16 bits of each lane of the result are from a, the upper from b. */
static inline __m512i upper_halves(__m512i a, __m512i b)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(a, 16), b);
}

/* x less its upper half. */
static inline __m512 low_part(__m512 x, __m512i upper)
{
    return _mm512_sub_ps(x,
                         _mm512_castsi512_ps(_mm512_and_si512(upper, _mm512_set1_epi32(-0x10000))));
}

/* One tile register of each slice: row i from the vectors at x + i * stride and `second` floats later. The first slice
 * is truncated; the second is rounded, so that the omitted products have either sign. Returns sums that are NaN where an
 * element was not finite (infinity - infinity). */
static inline Vector slice_rows(unsigned char *to, const float *x, int64_t stride, int64_t second)
{
    const __m512i round = _mm512_set1_epi32(0x8000);
    __m512 non_finite = _mm512_setzero_ps();
#pragma GCC unroll 2
    for (int i = 0; i < TILE_ROWS; i++, x += stride, to += 64) {
        __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + second);
        __m512i ai = _mm512_castps_si512(a), bi = _mm512_castps_si512(b);
        _mm512_store_si512((void *)to, upper_halves(ai, bi));
        a = low_part(a, ai);
        b = low_part(b, bi);
        ai = _mm512_add_epi32(_mm512_castps_si512(a), round);
        bi = _mm512_add_epi32(_mm512_castps_si512(b), round);
        _mm512_store_si512((void *)(to + 2 * TILE_BYTES), upper_halves(ai, bi));
        a = low_part(a, ai);
        b = low_part(b, bi);
        _mm512_store_si512((void *)(to + 4 * TILE_BYTES),
                           upper_halves(_mm512_castps_si512(a), _mm512_castps_si512(b)));
        non_finite = _mm512_add_ps(non_finite, _mm512_add_ps(a, b));
    }
    return (Vector)non_finite;
}

/* A copy in one direction loads and stores whole vectors, one along the other transposes in
 * registers, and anything else goes element by element. */
void amx_copy_block(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                    int64_t step, int64_t rows, int64_t steps)
{
    if (step == 1 && to_row == 1)
        transpose(to, to_step, x, row, rows, steps);
    else if (row == 1 && to_step == 1)
        transpose(to, to_row, x, step, steps, rows);
    else if (step == 1)
        for (int64_t r = 0; r < rows; r++)
            store(to + r * to_row, load_partial(x + r * row, steps, 0));
    else if (row == 1)
        for (int64_t l = 0; l < steps; l++)
            store(to + l * to_step, load_partial(x + l * step, rows, 0));
    else
        for (int64_t r = 0; r < rows; r++)
            for (int64_t l = 0; l < steps; l++)
                to[r * to_row + l * to_step] = x[r * row + l * step];
}

/* Copies TILE_ROWS rows and BF16_STEPS steps, of which fewer may exist, to where slice_rows reads them.
 * What does not exist becomes 0, which adds nothing to a product. */
static void copy_tile(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                      int64_t step, int64_t rows, int64_t steps)
{
    if (rows < TILE_ROWS || steps < BF16_STEPS)
        memset(to, 0, sizeof(float) * TILE_ROWS * BF16_STEPS);
    for (int64_t l = 0; l < steps; l += TILE_ROWS)
        amx_copy_block(to + l * to_step, to_row, to_step, x + l * step, row, step, rows,
                       steps - l < TILE_ROWS ? steps - l : TILE_ROWS);
}

/* One tile register of each slice of at most TILE_ROWS rows and BF16_STEPS steps.
 * Whole tiles whose layout fits the side are read in place, others through the copy. */
static Vector pack_tile(unsigned char *to, Side side, const float *x, int64_t row, int64_t step,
                        int64_t rows, int64_t steps)
{
    float copy[TILE_ROWS * BF16_STEPS] __attribute__((aligned(64)));
    if (rows > TILE_ROWS)
        rows = TILE_ROWS;
    if (steps > BF16_STEPS)
        steps = BF16_STEPS;
    bool whole = rows == TILE_ROWS && steps == BF16_STEPS;
    if (side == SIDE_A) {
        if (whole && step == 1)
            return slice_rows(to, x, row, TILE_ROWS);
        copy_tile(copy, BF16_STEPS, 1, x, row, step, rows, steps);
        return slice_rows(to, copy, BF16_STEPS, TILE_ROWS);
    }
    if (whole && row == 1)
        return slice_rows(to, x, step, TILE_ROWS * step);
    copy_tile(copy, 1, TILE_ROWS, x, row, step, rows, steps);
    return slice_rows(to, copy, TILE_ROWS, TILE_ROWS * TILE_ROWS);
}

/* Memory is read in order: along a row where its steps are contiguous, else across all rows for BF16_STEPS steps. */
bool amx_pack_bf16(unsigned char *to, int64_t next, Side side, const float *x, int64_t row,
                   int64_t step, int64_t rows, int64_t steps)
{
    Vector non_finite = {0};
    int64_t high = step == 1 ? TILE_ROWS : rows, wide = step == 1 ? steps : BF16_STEPS;
    for (int64_t l0 = 0; l0 < steps; l0 += wide)
        for (int64_t r0 = 0; r0 < rows; r0 += high)
            for (int64_t l = l0; l < l0 + wide && l < steps; l += BF16_STEPS)
                for (int64_t r = r0; r < r0 + high && r < rows; r += TILE_ROWS)
                    non_finite +=
                        pack_tile(to + r / PANEL * next + r % PANEL / TILE_ROWS * TILE_BYTES +
                                      l / BF16_STEPS * BF16_STEP_BYTES,
                                  side, x + r * row + l * step, row, step, rows - r, steps - l);
    return horizontal_sum(non_finite) == horizontal_sum(non_finite);
}
