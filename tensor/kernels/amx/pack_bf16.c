/* pack_bf16.c: slices floats into panels of bfloat16.
 *
 *      step l       x  x  x ..  a row of a tile register    lane:  | l, slice p | l + 16, slice p |
 *      step l + 16  y  y  y ..  holds two steps                    `-- 2 bytes -'----- 2 bytes ---'
 *
 * The tile unit adds the products of pairs of steps, whichever steps these are. With 16 steps
 * between them, a row is one vector shifted and blended with another, and no element changes its
 * lane. Where the matrix has the other layout, 16 x 16 floats are transposed in registers first
 * (kernels/simd/pack.h). */
#include "tensor/kernels/amx/tile_bf16.h"
#include "tensor/kernels/simd/pack.h"

/* A row whose elements are all smaller is not computed from slices: the tile unit takes numbers
 * below 2^-126 for 0, and the products of two such rows are of this order. */
#define SMALL 0x1p-50f

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

/* What packing saw of the elements of TILE_ROWS rows. */
typedef struct {
    __m512 absmax;     /* SIDE_B: of each row */
    __m512 non_finite; /* NaN where an element was not finite (infinity - infinity) */
    /* SIDE_A: whether row i has elements of at least SMALL in a tile register; a mask of its
     * lanes */
    __mmask16 large[BF16_MOST_STEPS / BF16_STEPS][TILE_ROWS];
} Seen;

/* One tile register of each slice: row i from the vectors at x + i * stride and `second` floats
 * later. The first slice is truncated; the second is rounded, so that the omitted products have
 * either sign. `large` is one of seen's, or NULL. */
static inline __attribute__((always_inline)) void slice_rows(unsigned char *to, const float *x,
                                                             int64_t stride, int64_t second,
                                                             Seen *seen, __mmask16 *large)
{
    const __m512i round = _mm512_set1_epi32(0x8000);
    __m512 absmax = seen->absmax, non_finite = seen->non_finite;
#pragma GCC unroll 2
    for (int i = 0; i < TILE_ROWS; i++, x += stride, to += 64) {
        __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + second);
        __m512i ai = _mm512_castps_si512(a), bi = _mm512_castps_si512(b);
        const __m512 larger = _mm512_range_ps(a, b, 0xb); /* the larger absolute value */
        if (large)
            large[i] = _mm512_cmp_ps_mask(larger, _mm512_set1_ps(SMALL), _CMP_GE_OQ);
        else
            absmax = _mm512_max_ps(absmax, larger);
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
    seen->absmax = absmax;
    seen->non_finite = non_finite;
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

/* Copies TILE_ROWS rows and BF16_STEPS steps, of which fewer may exist, to where slice_rows reads
 * them. What does not exist becomes 0, which adds nothing to a product. */
static void copy_tile(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                      int64_t step, int64_t rows, int64_t steps)
{
    if (rows < TILE_ROWS || steps < BF16_STEPS)
        memset(to, 0, sizeof(float) * TILE_ROWS * BF16_STEPS);
    for (int64_t l = 0; l < steps; l += TILE_ROWS)
        amx_copy_block(to + l * to_step, to_row, to_step, x + l * step, row, step, rows,
                       steps - l < TILE_ROWS ? steps - l : TILE_ROWS);
}

/* One tile register of each slice of at most TILE_ROWS rows and BF16_STEPS steps, the `at`-th of
 * its rows. Whole tiles whose layout fits the side are read in place, others through the copy. */
static void pack_tile(unsigned char *to, Side side, const float *x, int64_t row, int64_t step,
                      int64_t rows, int64_t steps, Seen *seen, int64_t at)
{
    float copy[TILE_ROWS * BF16_STEPS] __attribute__((aligned(64)));
    if (rows > TILE_ROWS)
        rows = TILE_ROWS;
    if (steps > BF16_STEPS)
        steps = BF16_STEPS;
    bool whole = rows == TILE_ROWS && steps == BF16_STEPS;
    if (side == SIDE_A) {
        if (whole && step == 1) {
            slice_rows(to, x, row, TILE_ROWS, seen, seen->large[at]);
            return;
        }
        copy_tile(copy, BF16_STEPS, 1, x, row, step, rows, steps);
        slice_rows(to, copy, BF16_STEPS, TILE_ROWS, seen, seen->large[at]);
        return;
    }
    if (whole && row == 1) {
        slice_rows(to, x, step, TILE_ROWS * step, seen, NULL);
        return;
    }
    copy_tile(copy, 1, TILE_ROWS, x, row, step, rows, steps);
    slice_rows(to, copy, TILE_ROWS, TILE_ROWS * TILE_ROWS, seen, NULL);
}

/* Are the elements of a row small, and not all of them 0? */
static bool is_small(const float *x, int64_t step, int64_t steps)
{
    float most = 0;
    for (int64_t l = 0; l < steps; l++)
        most = fabsf(x[l * step]) > most ? fabsf(x[l * step]) : most;
    return most > 0 && most < SMALL;
}

/* Whether the slices of the rows lose too much: an element is not finite, or a row has small
 * elements alone. */
static bool slices_lose(Side side, const Seen *seen, const float *x, int64_t row, int64_t step,
                        int64_t rows, int64_t steps)
{
    if (_mm512_cmp_ps_mask(seen->non_finite, seen->non_finite, _CMP_UNORD_Q))
        return true;
    if (side == SIDE_B)
        return _mm512_cmp_ps_mask(seen->absmax, _mm512_set1_ps(SMALL), _CMP_LT_OQ) &
               _mm512_cmp_ps_mask(seen->absmax, _mm512_setzero_ps(), _CMP_GT_OQ);
    __m256i large = _mm256_setzero_si256();
    for (int64_t l = 0; l < steps; l += BF16_STEPS)
        large =
            _mm256_or_si256(large, _mm256_loadu_si256((const void *)seen->large[l / BF16_STEPS]));
    unsigned left = _mm256_testn_epi16_mask(large, large) & first_lanes(rows);
    for (; left; left &= left - 1)
        if (is_small(x + __builtin_ctz(left) * row, step, steps))
            return true;
    return false;
}

enum { GROUPS_AT_ONCE = 16 };

/* At most GROUPS_AT_ONCE groups of rows. Memory is read in order: along a row where its steps are
 * contiguous, else across all rows for BF16_STEPS steps. */
static bool pack_groups(unsigned char *to, int64_t next, Side side, const float *x, int64_t row,
                        int64_t step, int64_t rows, int64_t steps, bool *in_floats)
{
    Seen seen[GROUPS_AT_ONCE];
    bool any = false;
    int64_t high = step == 1 ? TILE_ROWS : rows, wide = step == 1 ? steps : BF16_STEPS;
    for (int64_t r = 0; r < rows; r += TILE_ROWS)
        seen[r / TILE_ROWS].absmax = seen[r / TILE_ROWS].non_finite = _mm512_setzero_ps();
    for (int64_t l0 = 0; l0 < steps; l0 += wide)
        for (int64_t r0 = 0; r0 < rows; r0 += high)
            for (int64_t l = l0; l < l0 + wide && l < steps; l += BF16_STEPS)
                for (int64_t r = r0; r < r0 + high && r < rows; r += TILE_ROWS)
                    pack_tile(to + r / PANEL * next + r % PANEL / TILE_ROWS * TILE_BYTES +
                                  l / BF16_STEPS * BF16_STEP_BYTES,
                              side, x + r * row + l * step, row, step, rows - r, steps - l,
                              &seen[r / TILE_ROWS], l / BF16_STEPS);
    for (int64_t r = 0; r < rows; r += TILE_ROWS)
        any |= in_floats[r / TILE_ROWS] =
            slices_lose(side, &seen[r / TILE_ROWS], x + r * row, row, step, rows - r, steps);
    return any;
}

bool amx_pack_bf16(unsigned char *to, int64_t next, Side side, const float *x, int64_t row,
                   int64_t step, int64_t rows, int64_t steps, bool *in_floats)
{
    const int64_t most = GROUPS_AT_ONCE * TILE_ROWS;
    bool any = false;
    for (int64_t r = 0; r < rows; r += most)
        any |= pack_groups(to + r / PANEL * next, next, side, x + r * row, row, step,
                           rows - r < most ? rows - r : most, steps, in_floats + r / TILE_ROWS);
    return any;
}
