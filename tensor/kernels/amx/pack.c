/* pack.c: slices floats into panels of bfloat16 (kernels/amx/slices.h).
 *
 *      step l       x  x  x ..  a row of a tile       lane:  | l, slice p | l + 16, slice p |
 *      step l + 16  y  y  y ..  holds two steps              `-- 2 bytes -'----- 2 bytes ---'
 *
 * The unit adds the products of pairs of steps, whichever steps these are. With 16 steps between
 * them, a row is one vector shifted and blended with another, and no element changes its lane.
 * Where the matrix has the other layout, 16 x 16 floats are transposed in registers first
 * (kernels/simd/pack.h). */
#include "tensor/kernels/amx/slices.h"
#include "tensor/kernels/simd/pack.h"

/* The upper halves of the lanes of a and b, interleaved: the lower 16 bits of each lane are from a,
 * the upper from b. */
static inline __m512i upper_halves(__m512i a, __m512i b)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(a, 16), b);
}

/* x less the bfloat16 in the upper half of `upper`. */
static inline __m512 remainder_of(__m512 x, __m512i upper)
{
    return _mm512_sub_ps(x,
                         _mm512_castsi512_ps(_mm512_and_si512(upper, _mm512_set1_epi32(-0x10000))));
}

/* x with 0 in place of what has no slices, whose lanes are added to `without`. */
static inline __m512 with_slices(__m512 x, __mmask16 *without)
{
    const __m512 above = _mm512_set1_ps(NO_SLICES);
    const __mmask16 has = _mm512_cmp_ps_mask(_mm512_abs_ps(x), above, _CMP_LT_OQ);
    *without |= (__mmask16)~has;
    return _mm512_maskz_mov_ps(has, x);
}

/* Bits whose upper half is x rounded to the nearest bfloat16; of two, the larger. */
static inline __m512i rounded(__m512 x)
{
    return _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
}

/* The same; of two, the even one, as in the usual rounding to bfloat16. A NaN stays one: its
 * highest bit below the exponent is set, since the upper half may have no other. */
static inline __m512i rounded_to_even(__m512 x)
{
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
    const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_or_epi32(sum, nan, bits, _mm512_set1_epi32(0x400000));
}

/* One tile register of each slice: row i from the vectors at x + i * stride and `second` floats
 * later. False where an element has no slices. */
static inline __attribute__((always_inline)) bool
slice_rows(int slices, unsigned char *to, const float *x, int64_t stride, int64_t second)
{
    __mmask16 without = 0;
#pragma GCC unroll 2
    for (int i = 0; i < TILE_ROWS; i++, x += stride, to += 64) {
        __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + second);
        if (slices == 1) {
            _mm512_store_si512((void *)to, upper_halves(rounded_to_even(a), rounded_to_even(b)));
            with_slices(a, &without);
            with_slices(b, &without);
            continue;
        }
        a = with_slices(a, &without);
        b = with_slices(b, &without);
        for (int p = 0; p < SLICES - 1; p++) {
            const __m512i of_a = rounded(a), of_b = rounded(b);
            _mm512_store_si512((void *)(to + 2 * p * TILE_BYTES), upper_halves(of_a, of_b));
            a = remainder_of(a, of_a);
            b = remainder_of(b, of_b);
        }
        _mm512_store_si512((void *)(to + 2 * (SLICES - 1) * TILE_BYTES),
                           upper_halves(_mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
    return without == 0;
}

/* Copies at most TILE_ROWS rows and TILE_ROWS steps: element (r, l) from x[r * row + l * step] to
 * to[r * to_row + l * to_step]. One of to_row and to_step is 1; in that direction up to TILE_ROWS
 * elements are written, with zeros after the existing ones. */
static void copy_block(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
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

/* Copies TILE_ROWS rows and TILE_STEPS steps, of which fewer may exist, to where slice_rows reads
 * them. What does not exist becomes 0, which adds nothing to a product. */
static void copy_tile(float *to, int64_t to_row, int64_t to_step, const float *x, const Factor *f,
                      int64_t rows, int64_t steps)
{
    if (rows < TILE_ROWS || steps < TILE_STEPS)
        memset(to, 0, sizeof(float) * TILE_ROWS * TILE_STEPS);
    for (int64_t l = 0; l < steps; l += TILE_ROWS)
        copy_block(to + l * to_step, to_row, to_step, x + l * f->step, f->row, f->step, rows,
                   steps - l < TILE_ROWS ? steps - l : TILE_ROWS);
}

/* Prefetches the tile at x: rows of steps or steps of rows, whichever are contiguous. */
static void prefetch_tile(const Factor *f, const float *x)
{
    for (int64_t i = 0; f->step == 1 && i < TILE_ROWS; i++) {
        __builtin_prefetch(x + i * f->row);
        __builtin_prefetch(x + i * f->row + TILE_ROWS);
    }
    for (int64_t l = 0; f->row == 1 && l < TILE_STEPS; l++)
        __builtin_prefetch(x + l * f->step);
}

/* One tile register of each slice of the rows r.. and steps l.. of a factor. Whole tiles whose
 * layout fits the side are read in place, others from a copy. */
static bool pack_tile(unsigned char *to, Side side, const Factor *f, int64_t r, int64_t l,
                      int slices)
{
    float copy[TILE_ROWS * TILE_STEPS] __attribute__((aligned(64)));
    const float *x = f->x + r * f->row + l * f->step;
    int64_t rows = f->rows - r < TILE_ROWS ? f->rows - r : TILE_ROWS;
    int64_t steps = f->steps - l < TILE_STEPS ? f->steps - l : TILE_STEPS;
    int64_t stride = side == SIDE_A ? f->row : f->step;
    if (rows < TILE_ROWS || steps < TILE_STEPS || (side == SIDE_A ? f->step : f->row) != 1) {
        stride = side == SIDE_A ? TILE_STEPS : TILE_ROWS;
        copy_tile(copy, side == SIDE_A ? stride : 1, side == SIDE_A ? 1 : stride, x, f, rows,
                  steps);
        x = copy;
    }
    const int64_t second = side == SIDE_A ? TILE_ROWS : TILE_ROWS * stride;
    return slices == 1 ? slice_rows(1, to, x, stride, second)
                       : slice_rows(SLICES, to, x, stride, second);
}

/* Memory is read in order: along a row where its steps are contiguous, else across all rows for
 * TILE_STEPS steps. */
enum { TILES_AHEAD = 2 };
bool UNIT_NAME(pack)(unsigned char *to, Side side, const Factor *f, int slices)
{
    const int64_t high = (f->rows + TILE_ROWS - 1) / TILE_ROWS;
    const int64_t wide = (f->steps + TILE_STEPS - 1) / TILE_STEPS;
    const int64_t next = panel_bytes(f->steps, slices);
    bool all = true;
    for (int64_t t = 0; t < high * wide; t++) {
        const int64_t r = f->step == 1 ? t / wide : t % high;
        const int64_t l = f->step == 1 ? t % wide : t / high;
        prefetch_tile(f, f->x + r * TILE_ROWS * f->row + l * TILE_STEPS * f->step +
                             TILES_AHEAD * (f->step == 1 ? TILE_STEPS : TILE_ROWS));
        all &= pack_tile(to + r / 2 * next + r % 2 * TILE_BYTES + l * 2 * slices * TILE_BYTES, side,
                         f, r * TILE_ROWS, l * TILE_STEPS, slices);
    }
    return all;
}
