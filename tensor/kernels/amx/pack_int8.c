/* pack_int8.c: slices floats into groups of int8.
 *
 *      step l       x  x  x ..  a row of a tile register holds      lane:  | l | l + 16 | l + 32 | l + 48 |  of one slice
 *      step l + 16  y  y  y ..  four steps
 *      step l + 32  z  z  z ..
 *      step l + 48  w  w  w ..
 *
 * Each 16 rows are read twice: the first pass finds their absolute maxima, the second slices. The tile unit adds the
 * products of four steps, whichever steps these are: with 16 steps between them, no element changes its lane. Where the
 * matrix has the other layout, slices are made as if for the other side and 16 x 16 lanes are transposed.
 *
 * The work is divided into parts of 70 to 150 instructions, which the caller interleaves with tile instructions: the
 * vector units are idle while the tile unit multiplies.
 *
 * One thread, 512 x 256 elements from the second-level cache: 0.11 to 0.16 ns an element, 0.18 to 0.22 where they are
 * transposed, on a shared Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

/* Parts of finding the statistics of a group of rows, and of slicing one tile register. */
enum { STATISTICS_PARTS = 4, TILE_PARTS = 8 };

/* The integer to which the absolute maximum of a row is scaled; choose_scales says why not 2^23. */
static const float LARGEST = 8355584;
/* The bounds of amx_int8_mode, times the square root of the steps; attention.c has wider ones of its own. Measured with
 * tests/kernels/test_exactness.c and outlier channels of 1 to 12 times the others, which the weights ignore: the largest
 * error is 1.6 times sgemm's up to FAST_SPREADS = 2.8, 2.05 times at 3 and 2.6 times at 4. */
static const float FULL_SPREAD = 1.25f, FAST_SPREADS = 2.8f;

/* ---- the statistics of a row ------------------------------------------------------------------------------------------ */

/* A mask of the first n of sixteen lanes, n >= 0. */
static inline __mmask16 first_lanes(int64_t n)
{
    return n >= TILE_ROWS ? 0xffff : (__mmask16)((1 << n) - 1);
}

/* Prefetches the line of x and the next one. The address need not exist. */
static inline void prefetch_pair(const float *x)
{
    __builtin_prefetch(x);
    __builtin_prefetch(x + TILE_ROWS);
}

/* What the first pass finds of a row, in lanes. */
typedef struct {
    __m512i absmax, bits;
    __m512 sum;
} Statistics;

static inline void gather_statistics(Statistics *s, __m512 x)
{
    const __m512i abs = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX));
    s->absmax = _mm512_max_epu32(s->absmax, abs);
    s->bits = _mm512_or_si512(s->bits, abs);
    s->sum = _mm512_add_ps(s->sum, _mm512_castsi512_ps(abs));
}

static inline Statistics join_statistics(Statistics a, Statistics b)
{
    return (Statistics){_mm512_max_epu32(a.absmax, b.absmax), _mm512_or_si512(a.bits, b.bits),
                        _mm512_add_ps(a.sum, b.sum)};
}

/* The statistics of four rows, of which at least one exists, into d's from `first` on; those of the others are 0. The
 * elements `ahead` of each are prefetched: this pass is the first to touch the matrix, and they come next. */
static void statistics_of_rows(Int8Packing *d, int64_t first, const float *x, int64_t row,
                               int64_t rows, int64_t steps, int64_t ahead)
{
    __m512i absmax[4], bits[4], sum[4];
    for (int r = 0; r < 4; r++) {
        const float *at = x + (r < rows ? r : 0) * row;
        Statistics one = {0}, other = {0};
        int64_t l = 0;
        for (; l + 2 * TILE_ROWS <= steps; l += 2 * TILE_ROWS) {
            prefetch_pair(at + l + ahead);
            gather_statistics(&one, _mm512_loadu_ps(at + l));
            gather_statistics(&other, _mm512_loadu_ps(at + l + TILE_ROWS));
        }
        for (; l < steps; l += TILE_ROWS)
            gather_statistics(&one, _mm512_maskz_loadu_ps(first_lanes(steps - l), at + l));
        if (r >= rows)
            one = other = (Statistics){0};
        one = join_statistics(one, other);
        absmax[r] = one.absmax;
        bits[r] = one.bits;
        sum[r] = _mm512_castps_si512(one.sum);
    }
    _mm_store_si128((__m128i *)(d->bits + first), horizontal_or_of_four(bits));
    _mm_store_si128((__m128i *)(d->sum + first), horizontal_sum_of_four(sum));
    _mm_store_si128((__m128i *)(d->absmax + first), horizontal_max_of_four(absmax));
}

/* The statistics of each of TILE_ROWS rows over so many steps, joined to those so far. */
static void statistics_of_steps(Int8Packing *d, const float *x, int64_t rows, int64_t step,
                                int64_t steps, int64_t ahead)
{
    const __mmask16 there = first_lanes(rows);
    Statistics other = {0}, one = {_mm512_load_si512(d->absmax), _mm512_load_si512(d->bits),
                                   _mm512_load_ps(d->sum)};
    for (; steps > 1; steps -= 2, x += 2 * step) {
        __builtin_prefetch(x + ahead);
        __builtin_prefetch(x + step + ahead);
        gather_statistics(&one, _mm512_maskz_loadu_ps(there, x));
        gather_statistics(&other, _mm512_maskz_loadu_ps(there, x + step));
    }
    if (steps > 0)
        gather_statistics(&one, _mm512_maskz_loadu_ps(there, x));
    one = join_statistics(one, other);
    _mm512_store_si512(d->absmax, one.absmax);
    _mm512_store_si512(d->bits, one.bits);
    _mm512_store_ps(d->sum, one.sum);
}

/* The part'th quarter of a group: of its rows where steps are contiguous, else of its steps. */
static void find_statistics(Int8Packing *d, int part)
{
    const int64_t rows = d->rows - d->at_row < TILE_ROWS ? d->rows - d->at_row : TILE_ROWS;
    const float *x = d->x + d->at_row * d->row;
    if (part == 0) {
        memset(d->absmax, 0, sizeof d->absmax);
        memset(d->bits, 0, sizeof d->bits);
        memset(d->sum, 0, sizeof d->sum);
    }
    const int64_t first_row = part * TILE_ROWS / 4;
    const int64_t ahead = d->row * (d->side == SIDE_A ? PANEL : TILE_ROWS);
    if (d->step == 1) {
        if (first_row < rows)
            statistics_of_rows(d, first_row, x + first_row * d->row, d->row, rows - first_row,
                               d->steps, ahead);
        return;
    }
    const int64_t first = d->steps * part / 4, end = d->steps * (part + 1) / 4;
    if (d->row == 1) {
        statistics_of_steps(d, x + first * d->step, rows, d->step, end - first, ahead);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t l = first; l < end; l++) {
            uint32_t bits;
            memcpy(&bits, &x[r * d->row + l * d->step], sizeof bits);
            bits &= INT32_MAX;
            d->absmax[r] = bits > d->absmax[r] ? bits : d->absmax[r];
            d->bits[r] |= bits;
            d->sum[r] += fabsf(x[r * d->row + l * d->step]);
        }
}

/* The power of two that scales `most` to less than 8355711 = 0x7f7f7f, above which balanced slices do not fit. */
static inline __m512 power_of_two_units(__m512 most)
{
    const __m512i exponent =
        _mm512_and_si512(_mm512_castps_si512(most), _mm512_set1_epi32(0x7f800000));
    __m512 units = _mm512_div_ps(_mm512_set1_ps(0x1p22f), _mm512_castsi512_ps(exponent));
    __mmask16 over =
        _mm512_cmp_ps_mask(_mm512_mul_ps(most, units), _mm512_set1_ps(8355711), _CMP_GT_OQ);
    return _mm512_mask_mul_ps(units, over, units, _mm512_set1_ps(0.5f));
}

/* The scale of each row of the group. The absolute maximum becomes 8355584 = 127.5 * 65536 - 256, the largest integer
 * whose slices fit after rounding; in a granular row, the unit is a power of two. */
static void choose_scales(Int8Packing *d)
{
    __m512 most = _mm512_load_ps((const float *)d->absmax);
    __m512 units = _mm512_div_ps(_mm512_set1_ps(LARGEST), most);
    __mmask16 granular = 0;
    if (!d->known_absmax) {
        granular = _mm512_testn_epi32_mask(_mm512_load_si512(d->bits), _mm512_set1_epi32(1)) &
                   _mm512_test_epi32_mask(_mm512_castps_si512(most), _mm512_castps_si512(most));
        if (granular)
            units = _mm512_mask_mov_ps(units, granular, power_of_two_units(most));
    }
    units = _mm512_min_ps(units, _mm512_set1_ps(0x1p120f)); /* also for a row of zeros */
    __m512 scale = _mm512_div_ps(_mm512_set1_ps(0x1p16f), units);
    __mmask16 in_range =
        _mm512_cmp_epi32_mask(_mm512_castps_si512(most),
                              _mm512_castps_si512(_mm512_set1_ps(0x1p100f)), _MM_CMPINT_LT);
    _mm512_store_ps(d->units, _mm512_maskz_mov_ps(in_range, units));
    _mm512_storeu_ps(d->scale + d->at_row, _mm512_maskz_mov_ps(in_range, scale));
    d->in_range &= in_range == 0xffff;
    if (d->quality) {
        __m512 sum = _mm512_load_ps(d->sum);
        __mmask16 counts = in_range & _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_GT_OQ);
        __m512 spread =
            _mm512_div_ps(_mm512_set1_ps(LARGEST * (float)d->steps), _mm512_mul_ps(units, sum));
        d->quality[d->at_row / TILE_ROWS] =
            (Int8Quality){.spread = _mm512_mask_reduce_max_ps(counts, spread),
                          .granular = granular != 0};
    }
}

/* The factors with which sums of six and of nine products keep the errors that tile_int8.h states. */
Int8Mode amx_int8_mode(Int8Quality a, Int8Quality b, int64_t steps)
{
    const float root = sqrtf((float)steps);
    if (!(a.spread <= FULL_SPREAD * root && b.spread <= FULL_SPREAD * root))
        return INT8_FLOAT;
    if (!(a.spread * b.spread <= FAST_SPREADS * root) || (a.granular && b.granular))
        return INT8_FULL;
    return INT8_FAST;
}

/* ---- slices --------------------------------------------------------------------------------------------------- */

/* Sixteen elements as integers, with 128 added to each of the three lower bytes. A row that is out of range has the
 * factor 0: NaN then becomes an integer whose lower bytes are 0. */
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

/* n rows of a tile register of each slice: row i from the four vectors at x + i * stride, `apart` floats apart. */
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

/* Transposes 16 x 16 lanes of 4 bytes: the first four of the rows r, r + 4, r + 8 and r + 12 side by side, and so on,
 * then pairs of rows are interleaved twice. */
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

/* n rows of a tile register, from row `from` on, of a matrix whose layout fits the side, or fits the other one. */
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

/* One part of a tile register of a matrix with the other layout: four parts slice it as if for the other side, and three
 * transpose the result. */
static int64_t pack_part_transposed(Int8Packing *d, unsigned char *to, const float *x)
{
    const int transposed = d->at_part - TILE_PARTS / 2;
    if (transposed < 0) {
        const bool is_a = d->side == SIDE_A;
        rows_of_register(d, d->staging.slices, is_a ? SIDE_B : SIDE_A, x, is_a ? d->step : d->row,
                         is_a ? TILE_ROWS * d->step : TILE_ROWS, d->at_part * TILE_ROWS / 4,
                         TILE_ROWS / 4);
        return 1;
    }
    transpose_lanes(to + transposed * TILE_BYTES, d->staging.slices + transposed * TILE_BYTES);
    return transposed == SLICES - 1 ? 2 : 1;
}

/* One part of a tile register that the matrix does not fill, or whose elements are not contiguous in either direction:
 * four parts copy 16 steps each, and four slice a quarter of the copy. */
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
                       x + d->at_part * TILE_ROWS * d->step, d->row, d->step, rows,
                       left < TILE_ROWS ? left : TILE_ROWS);
    return 1;
}

/* The next part or, where none is done yet and enough are wanted, the whole register; returns the number of parts. */
static int64_t pack_register(Int8Packing *d, int64_t parts)
{
    const bool is_a = d->side == SIDE_A;
    const int64_t along = is_a ? d->step : d->row, across = is_a ? d->row : d->step;
    const float *x = d->x + d->at_row * d->row + d->at_step * d->step;
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
    d->scale = scale;
    d->in_range = true;
    d->known_absmax = NULL;
    d->quality = NULL;
    d->at_row = d->at_step = 0;
    d->at_part = 0;
    d->absmax_known = false;
}

/* The state machine: for each group of rows, STATISTICS_PARTS parts find the scales (none where
 * the absolute maxima are known), then TILE_PARTS parts fill each tile register. A caller may stop
 * and continue after any part. */
void amx_int8_packing_advance(Int8Packing *d, int64_t parts)
{
    while (parts > 0 && d->at_row < d->rows) {
        if (!d->absmax_known) {
            if (d->known_absmax)
                memcpy(d->absmax, d->known_absmax + d->at_row, sizeof d->absmax);
            else {
                find_statistics(d, d->at_part++);
                parts--;
                if (d->at_part < STATISTICS_PARTS)
                    continue;
            }
            choose_scales(d);
            d->absmax_known = true;
            d->at_part = 0;
            continue;
        }
        int64_t done = pack_register(d, parts);
        parts -= done;
        d->at_part += (int)done;
        if (d->at_part < TILE_PARTS)
            continue;
        d->at_part = 0;
        d->at_step += INT8_STEPS;
        if (d->at_step < d->steps)
            continue;
        d->at_step = 0;
        d->at_row += TILE_ROWS;
        d->absmax_known = false;
    }
}

int64_t amx_int8_packing_parts(const Int8Packing *d)
{
    int64_t registers = (d->steps + INT8_STEPS - 1) / INT8_STEPS;
    return (d->rows + TILE_ROWS - 1) / TILE_ROWS * (STATISTICS_PARTS + TILE_PARTS * registers);
}
