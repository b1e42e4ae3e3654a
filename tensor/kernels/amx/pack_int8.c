/* pack_int8.c: slices floats into groups of int8.
 *
 *    step l       x  x  x ..  a row of a tile register holds  lane:  | l | l + 16 | l + 32 | l + 48 |  of one slice
 *    step l + 16  y  y  y ..  four steps
 *    step l + 32  z  z  z ..
 *    step l + 48  w  w  w ..
 *
 * Each 16 rows are read twice: the first pass finds their absolute maxima (statistics_int8.c), the
 * second slices. The tile unit adds the products of four steps, whichever steps these are: with 16
 * steps between them, no element changes its lane. Where the matrix has the other layout, slices
 * are made as if for the other side and 16 x 16 lanes are transposed.
 *
 * The work is divided into parts of 70 to 150 instructions, which the caller interleaves with tile
 * instructions: the vector units are idle while the tile unit multiplies.
 *
 * One thread, 512 x 256 elements from the second-level cache: 0.11 to 0.16 ns an element, 0.18 to
 * 0.22 where they are transposed, on a shared Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

/* Parts of slicing one tile register. */
enum { TILE_PARTS = 8 };

/* The integer to which the absolute maximum of a row is scaled; choose_scales says why not 2^23. */
static const float LARGEST = 8355584;
/* The bounds of amx_int8_mode, times the square root of the steps; attention.c has wider ones of
 * its own. Measured with tests/kernels/test_exactness.c and outlier channels of 1 to 12 times the
 * others, which the weights ignore: the largest error is 1.6 times sgemm's up to FAST_SPREADS =
 * 2.8, 2.05 times at 3 and 2.6 times at 4. */
static const float FULL_SPREAD = 1.25f, FAST_SPREADS = 2.8f;

/* ---- the scales of a group ------------------------------------------------------------------- */

/* The power of two that scales `most` to less than 8355711 = 0x7f7f7f, above which balanced slices
 * do not fit. */
static inline __m512 power_of_two_units(__m512 most)
{
    const __m512i exponent =
        _mm512_and_si512(_mm512_castps_si512(most), _mm512_set1_epi32(0x7f800000));
    __m512 units = _mm512_div_ps(_mm512_set1_ps(0x1p22f), _mm512_castsi512_ps(exponent));
    __mmask16 over =
        _mm512_cmp_ps_mask(_mm512_mul_ps(most, units), _mm512_set1_ps(8355711), _CMP_GT_OQ);
    return _mm512_mask_mul_ps(units, over, units, _mm512_set1_ps(0.5f));
}

/* The spread above which a row of so many steps, of which `root` is the square root, is too wide
 * for slices. */
static inline float widest_spread(float root)
{
    return FULL_SPREAD * root;
}

/* The quality of the group, of which these rows count. Returns those that are too wide for
 * slices. */
static __mmask16 choose_quality(Int8Packing *d, __mmask16 rows, __m512 units, bool granular)
{
    const __m512 sum = _mm512_mul_ps(units, _mm512_load_ps(d->sum));
    const float most = LARGEST * (float)d->steps;
    rows &= _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_GT_OQ);
    d->quality[d->at_row / TILE_ROWS] =
        (Int8Quality){rows ? most / _mm512_mask_reduce_min_ps(rows, sum) : -INFINITY, granular};
    return _mm512_mask_cmp_ps_mask(rows, sum, _mm512_set1_ps(most / widest_spread(d->root)),
                                   _CMP_LT_OQ);
}

/* The scale of each row of the group but those of `without`, which count as zeros, and the group's
 * quality. The absolute maximum becomes 8355584 = 127.5 * 65536 - 256, the largest integer whose
 * slices fit after rounding; in a granular row, the unit is a power of two. Returns the rows that
 * are too wide for slices. */
static __mmask16 choose_scales(Int8Packing *d, __mmask16 without)
{
    const __m512 unit = _mm512_set1_ps(0x1p16f);
    __m512 most = _mm512_load_ps((const float *)d->absmax);
    __m512 scale = _mm512_max_ps(_mm512_mul_ps(most, _mm512_set1_ps(0x1p16f / LARGEST)),
                                 _mm512_set1_ps(0x1p-104f)); /* also for a row of zeros */
    __m512 units = _mm512_div_ps(unit, scale);
    __mmask16 granular = 0;
    if (d->left_out) {
        granular = amx_int8_granular(d, _mm512_cmp_ps_mask(most, _mm512_setzero_ps(), _CMP_NEQ_UQ) &
                                            ~without);
        if (granular) {
            units = _mm512_mask_min_ps(units, granular, power_of_two_units(most),
                                       _mm512_set1_ps(0x1p120f));
            scale = _mm512_mask_div_ps(scale, granular, unit, units);
        }
    }
    __mmask16 in_range =
        _mm512_cmp_epi32_mask(_mm512_castps_si512(most),
                              _mm512_castps_si512(_mm512_set1_ps(0x1p100f)), _MM_CMPINT_LT);
    __mmask16 sliced = in_range & ~without;
    _mm512_store_ps(d->units, _mm512_maskz_mov_ps(sliced, units));
    _mm512_storeu_ps(d->scale + d->at_row, _mm512_maskz_mov_ps(sliced, scale));
    d->in_range &= in_range == 0xffff;
    return d->quality ? choose_quality(d, sliced, units, granular != 0) : 0;
}

/* The factors with which sums of six and of nine products keep the errors that tile_int8.h
 * states. */
Int8Mode amx_int8_mode(Int8Quality a, Int8Quality b, float root)
{
    const float widest = widest_spread(root);
    if (a.spread < 0 || b.spread < 0)
        return INT8_ZERO;
    if (!(a.spread <= widest && b.spread <= widest))
        return INT8_INEXACT;
    if (a.granular && b.granular)
        return INT8_EXACT;
    return a.spread * b.spread <= FAST_SPREADS * root ? INT8_FAST : INT8_FULL;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Sixteen elements as integers, with 128 added to each of the three lower bytes. A row that is out
 * of range has the factor 0: NaN then becomes an integer whose lower bytes are 0. */
static inline __m512i quantise(const float *x, __m512 units)
{
    __m512i n = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), units));
    return _mm512_add_epi32(n, _mm512_set1_epi32(0x808080));
}

/* Inserts byte `from` of each lane of x as byte `to`. */
#define INSERT_BYTE(into, to, x, from)                                           \
    _mm512_mask_shuffle_epi8(into, 0x1111111111111111ull << (to), x,             \
                             _mm512_set4_epi32(0x0c0c0c0c + 0x01010101 * (from), \
                                               0x08080808 + 0x01010101 * (from), \
                                               0x04040404 + 0x01010101 * (from), \
                                               0x01010101 * (from)))

/* n rows of a tile register of each slice: row i from the four vectors at x + i * stride, `apart`
 * floats apart. */
static inline __attribute__((always_inline)) void slice_rows(unsigned char *to, const float *x,
                                                             int64_t stride, int64_t apart,
                                                             const float *units, bool is_a, int n)
{
    const __m512i half = _mm512_set1_epi8(-128);
#pragma GCC unroll 2
    for (int i = 0; i < n; i++, x += stride, to += 64) {
        __m512 u = is_a ? _mm512_set1_ps(units[i]) : _mm512_load_ps(units);
        __m512i a = quantise(x, u), b = quantise(x + apart, u), c = quantise(x + 2 * apart, u),
                d = quantise(x + 3 * apart, u);
        __m512i low = INSERT_BYTE(INSERT_BYTE(INSERT_BYTE(a, 1, b, 0), 2, c, 0), 3, d, 0);
        __m512i middle = INSERT_BYTE(INSERT_BYTE(INSERT_BYTE(b, 0, a, 1), 2, c, 1), 3, d, 1);
        __m512i high = INSERT_BYTE(INSERT_BYTE(INSERT_BYTE(c, 0, a, 2), 1, b, 2), 3, d, 2);
        _mm512_store_si512((void *)to, _mm512_xor_si512(high, half));
        _mm512_store_si512((void *)(to + TILE_BYTES), _mm512_xor_si512(middle, half));
        _mm512_store_si512((void *)(to + 2 * TILE_BYTES), _mm512_xor_si512(low, half));
    }
}

/* Transposes 16 x 16 lanes of 4 bytes: the first four of the rows r, r + 4, r + 8 and r + 12 side
 * by side, and so on, then pairs of rows are interleaved twice. */
static void transpose_lanes(unsigned char *to, const unsigned char *from)
{
    for (int column = 0; column < 4; column++, from += 16, to += 4 * 64) {
        __m512i row[4], low[2], high[2];
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            const unsigned char *at = from + r * 64;
            row[r] = _mm512_castsi128_si512(_mm_load_si128((const void *)at));
            row[r] = _mm512_inserti32x4(row[r], _mm_load_si128((const void *)(at + 4 * 64)), 1);
            row[r] = _mm512_inserti32x4(row[r], _mm_load_si128((const void *)(at + 8 * 64)), 2);
            row[r] = _mm512_inserti32x4(row[r], _mm_load_si128((const void *)(at + 12 * 64)), 3);
        }
#pragma GCC unroll 2
        for (int r = 0; r < 2; r++) {
            low[r] = _mm512_unpacklo_epi32(row[2 * r], row[2 * r + 1]);
            high[r] = _mm512_unpackhi_epi32(row[2 * r], row[2 * r + 1]);
        }
        _mm512_store_si512((void *)to, _mm512_unpacklo_epi64(low[0], low[1]));
        _mm512_store_si512((void *)(to + 64), _mm512_unpackhi_epi64(low[0], low[1]));
        _mm512_store_si512((void *)(to + 128), _mm512_unpacklo_epi64(high[0], high[1]));
        _mm512_store_si512((void *)(to + 192), _mm512_unpackhi_epi64(high[0], high[1]));
    }
}

/* n rows of a tile register, from row `from` on, of a matrix whose layout fits the side, or fits
 * the other one. */
static inline void rows_of_register(const Int8Packing *d, unsigned char *to, Side side,
                                    const float *x, int64_t stride, int64_t apart, int from, int n)
{
    x += from * stride;
    to += from * 64;
    if (side == SIDE_A && n == TILE_ROWS)
        slice_rows(to, x, stride, apart, d->units, true, TILE_ROWS);
    else if (side == SIDE_A)
        slice_rows(to, x, stride, apart, d->units + from, true, n);
    else if (n == TILE_ROWS)
        slice_rows(to, x, stride, apart, d->units, false, TILE_ROWS);
    else
        slice_rows(to, x, stride, apart, d->units, false, n);
}

/* One part of a tile register of a matrix with the other layout: four parts slice it as if for the
 * other side, and three transpose the result. */
static int64_t pack_part_transposed(Int8Packing *d, unsigned char *to, const float *x)
{
    const int transposed = d->at_part - TILE_PARTS / 2;
    if (transposed < 0) {
        const bool is_a = d->side == SIDE_A;
        rows_of_register(d, d->staging.slices, is_a ? SIDE_B : SIDE_A, x,
                         is_a ? d->group_step : d->group_row,
                         is_a ? TILE_ROWS * d->group_step : TILE_ROWS, d->at_part * TILE_ROWS / 4,
                         TILE_ROWS / 4);
        return 1;
    }
    transpose_lanes(to + transposed * TILE_BYTES, d->staging.slices + transposed * TILE_BYTES);
    return transposed == SLICES - 1 ? 2 : 1;
}

/* One part of a tile register that the matrix does not fill, or whose elements are not contiguous
 * in either direction: four parts copy 16 steps each, and four slice a quarter of the copy. */
static int64_t pack_part_copied(Int8Packing *d, unsigned char *to, const float *x)
{
    const bool is_a = d->side == SIDE_A;
    const int64_t rows = d->rows - d->at_row < TILE_ROWS ? d->rows - d->at_row : TILE_ROWS;
    const int64_t left = d->steps - d->at_step - d->at_part * TILE_ROWS;
    const int64_t to_row = is_a ? INT8_STEPS : 1, to_step = is_a ? 1 : TILE_ROWS;
    if (d->at_part == 0)
        memset(&d->staging, 0, sizeof d->staging);
    if (d->at_part >= TILE_PARTS / 2)
        rows_of_register(d, to, d->side, d->staging.numbers, is_a ? INT8_STEPS : TILE_ROWS,
                         is_a ? TILE_ROWS : TILE_ROWS * TILE_ROWS,
                         (d->at_part - TILE_PARTS / 2) * TILE_ROWS / 4, TILE_ROWS / 4);
    else if (left > 0)
        amx_copy_block(d->staging.numbers + d->at_part * TILE_ROWS * to_step, to_row, to_step,
                       x + d->at_part * TILE_ROWS * d->group_step, d->group_row, d->group_step,
                       rows, left < TILE_ROWS ? left : TILE_ROWS);
    return 1;
}

/* The next part or, where none is done yet and enough are wanted, the whole register; returns the
 * number of parts. */
static int64_t pack_register(Int8Packing *d, int64_t parts)
{
    const bool is_a = d->side == SIDE_A;
    const int64_t along = is_a ? d->group_step : d->group_row;
    const int64_t across = is_a ? d->group_row : d->group_step;
    const float *x = d->group + d->at_step * d->group_step;
    unsigned char *to =
        d->to + d->at_row / TILE_ROWS * d->next + d->at_step / INT8_STEPS * INT8_GROUP_BYTES;
    if (d->at_row + TILE_ROWS > d->rows || d->at_step + INT8_STEPS > d->steps ||
        (along != 1 && across != 1))
        return pack_part_copied(d, to, x);
    if (along != 1)
        return pack_part_transposed(d, to, x);
    const int64_t done = d->at_part == 0 && parts >= TILE_PARTS ? TILE_PARTS : 1;
    const int n = TILE_ROWS / TILE_PARTS;
    rows_of_register(d, to, d->side, x, across, is_a ? TILE_ROWS : TILE_ROWS * across,
                     d->at_part * n, (int)done * n);
    return done;
}

/* Rows without steps have nothing to pack: the product of such a panel is what it starts from. */
void amx_int8_packing_begin(Int8Packing *d, unsigned char *to, int64_t next, Side side,
                            float *scale, const float *x, int64_t row, int64_t step, int64_t rows,
                            int64_t steps)
{
    d->to = to;
    d->next = next;
    d->side = side;
    d->x = x;
    d->row = row;
    d->step = step;
    d->rows = steps > 0 ? rows : 0;
    d->steps = steps;
    d->root = sqrtf((float)steps);
    d->scale = scale;
    d->in_range = true;
    d->known_absmax = NULL;
    d->quality = NULL;
    d->left_out = NULL;
    d->rest = NULL;
    d->at_row = d->at_step = 0;
    d->at_part = 0;
    d->absmax_known = false;
}

static inline void begin_group(Int8Packing *d)
{
    d->group = d->x + d->at_row * d->row;
    d->group_row = d->row;
    d->group_step = d->step;
}

/* Chooses the scales of the group whose statistics are known. What is left out of the slices: rows
 * of A that are too wide, if they have few elements that are not 0, or else the steps of A, or the
 * elements of B, that are too wide. */
static void complete_scales(Int8Packing *d)
{
    const __mmask16 wide = choose_scales(d, 0);
    if (!d->left_out)
        return;
    Int8LeftOut *left_out = &d->left_out[d->at_row / TILE_ROWS];
    left_out->steps = 0;
    left_out->rows = 0;
    if (!wide)
        return;
    if (d->side == SIDE_A && amx_int8_count_nonzero(d, wide, d->steps / 2) <= d->steps / 2) {
        left_out->rows = wide;
        choose_scales(d, wide);
    } else if (amx_int8_leave_out(d, left_out, widest_spread(d->root) / 2) && choose_scales(d, 0)) {
        left_out->steps = 0;
    }
}

/* Whether no product reads the slices of the group: amx_int8_mode gives INT8_ZERO or INT8_INEXACT
 * for every other group. */
static bool needs_no_slices(const Int8Packing *d)
{
    if (!d->left_out)
        return false;
    const float spread = d->quality[d->at_row / TILE_ROWS].spread;
    return !(spread >= 0 && spread <= widest_spread(d->root));
}

static void end_group(Int8Packing *d)
{
    d->at_part = 0;
    d->at_step = 0;
    d->at_row += TILE_ROWS;
    d->absmax_known = false;
}

/* The state machine: for each group of rows, STATISTICS_PARTS parts find the scales (none where
 * the absolute maxima are known), then TILE_PARTS parts fill each tile register. A caller may stop
 * and continue after any part. */
void amx_int8_packing_advance(Int8Packing *d, int64_t parts)
{
    while (parts > 0 && d->at_row < d->rows) {
        if (!d->absmax_known) {
            if (d->at_part == 0)
                begin_group(d);
            if (d->known_absmax)
                memcpy(d->absmax, d->known_absmax + d->at_row, sizeof d->absmax);
            else {
                amx_int8_find_statistics(d, d->at_part++);
                parts--;
                if (d->at_part < STATISTICS_PARTS)
                    continue;
            }
            complete_scales(d);
            d->absmax_known = true;
            d->at_part = 0;
            if (needs_no_slices(d))
                end_group(d);
            continue;
        }
        int64_t done = pack_register(d, parts);
        parts -= done;
        d->at_part += (int)done;
        if (d->at_part < TILE_PARTS)
            continue;
        d->at_part = 0;
        d->at_step += INT8_STEPS;
        if (d->at_step >= d->steps)
            end_group(d);
    }
}

int64_t amx_int8_packing_parts(const Int8Packing *d)
{
    int64_t registers = (d->steps + INT8_STEPS - 1) / INT8_STEPS;
    return (d->rows + TILE_ROWS - 1) / TILE_ROWS * (STATISTICS_PARTS + TILE_PARTS * registers);
}
