/* pack_int8.c: floats to groups of digits.
 *
 *      step l       x  x  x ..  one register row holds      lane:  | l | l + 16 | l + 32 | l + 48 |  of one digit
 *      step l + 16  y  y  y ..  four steps side by side
 *      step l + 32  z  z  z ..
 *      step l + 48  w  w  w ..
 *
 * Two passes over each 16 rows: the first finds their largest numbers, the second makes digits. The unit adds up fours
 * of steps, whichever: with 16 steps between them no number changes its lane. Where a matrix lies the other way round,
 * digits are made as if for the other side, and then 16 x 16 lanes turned.
 *
 * It goes by parts of 70 to 150 instructions each: so many find room between those of the tile unit, while that is
 * busy, and cost little time of their own.
 *
 * One thread, 512 x 256 numbers in the second cache: 0.11 to 0.16 ns a number, 0.18 to 0.22 where they are turned: a Xeon
 * with AVX-512 and AMX that did other work too, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

enum { MEASURING = 4, PARTS = 8 }; /* parts of measuring a group, and of one register */

/* ---- how large ------------------------------------------------------------------------------------------------ */

static inline __mmask16 first_lanes(int64_t n)
{
    return n >= REG ? 0xffff : (__mmask16)((1 << n) - 1);
}

/* Asks for the line where x stands and for the one behind it. Where nothing is, asking does no harm. */
static inline void ask_for(const float *x)
{
    __builtin_prefetch(x);
    __builtin_prefetch(x + REG);
}

/* The largest numbers of four rows of which at least one is there; the others' are 0. What stands `ahead` of a number
 * is asked for: these passes are the first to touch the matrix, and that is measured next. */
static void measure_rows(uint32_t *largest, const float *x, int64_t row, int64_t rows,
                         int64_t steps, int64_t ahead)
{
    __m512i most[4];
    for (int r = 0; r < 4; r++) {
        const float *at = x + (r < rows ? r : 0) * row;
        __m512i one = _mm512_setzero_si512(), other = one;
        int64_t l = 0;
        for (; l + 2 * REG <= steps; l += 2 * REG) {
            ask_for(at + l + ahead);
            one = larger_bits(one, _mm512_loadu_ps(at + l));
            other = larger_bits(other, _mm512_loadu_ps(at + l + REG));
        }
        for (; l < steps; l += REG)
            one = larger_bits(one, _mm512_maskz_loadu_ps(first_lanes(steps - l), at + l));
        most[r] = r < rows ? _mm512_max_epu32(one, other) : _mm512_setzero_si512();
    }
    _mm_store_si128((__m128i *)largest, larger_lanes(most));
}

/* The largest number of each of REG rows, in so many steps, against what is there. */
static void measure_steps(uint32_t *largest, const float *x, int64_t rows, int64_t step,
                          int64_t steps, int64_t ahead)
{
    const __mmask16 there = first_lanes(rows);
    __m512i one = _mm512_load_si512(largest), other = one;
    for (; steps > 1; steps -= 2, x += 2 * step) {
        __builtin_prefetch(x + ahead);
        __builtin_prefetch(x + step + ahead);
        one = larger_bits(one, _mm512_maskz_loadu_ps(there, x));
        other = larger_bits(other, _mm512_maskz_loadu_ps(there, x + step));
    }
    if (steps > 0)
        one = larger_bits(one, _mm512_maskz_loadu_ps(there, x));
    _mm512_store_si512(largest, _mm512_max_epu32(one, other));
}

/* The part'th quarter of a group: of its rows where steps lie side by side, else of its steps. */
static void measure(AmxDigits *d, int part)
{
    const int64_t rows = d->rows - d->at_row < REG ? d->rows - d->at_row : REG;
    const float *x = d->x + d->at_row * d->row;
    if (part == 0)
        memset(d->largest, 0, sizeof d->largest);
    const int64_t first_row = part * REG / 4;
    const int64_t ahead = d->row * (d->side == SIDE_A ? PANEL : REG);
    if (d->step == 1) {
        if (first_row < rows)
            measure_rows(d->largest + first_row, x + first_row * d->row, d->row, rows - first_row,
                         d->steps, ahead);
        return;
    }
    const int64_t first = d->steps * part / 4, end = d->steps * (part + 1) / 4;
    if (d->row == 1) {
        measure_steps(d->largest, x + first * d->step, rows, d->step, end - first, ahead);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t l = first; l < end; l++) {
            uint32_t bits;
            memcpy(&bits, &x[r * d->row + l * d->step], sizeof bits);
            bits &= INT32_MAX;
            d->largest[r] = bits > d->largest[r] ? bits : d->largest[r];
        }
}

/* The unit of each row of the group: the largest number is 8355584 of them, 127.5 * 65536 less what rounding may add. */
static void choose_units(AmxDigits *d)
{
    __m512 most = _mm512_load_ps((const float *)d->largest);
    __m512 units = _mm512_min_ps(_mm512_div_ps(_mm512_set1_ps(8355584), most),
                                 _mm512_set1_ps(0x1p120f)); /* also for 0 */
    __m512 scale = _mm512_div_ps(_mm512_set1_ps(0x1p16f), units);
    __mmask16 tame =
        _mm512_cmp_epi32_mask(_mm512_castps_si512(most),
                              _mm512_castps_si512(_mm512_set1_ps(0x1p100f)), _MM_CMPINT_LT);
    _mm512_store_ps(d->units, _mm512_maskz_mov_ps(tame, units));
    _mm512_storeu_ps(d->scale + d->at_row, _mm512_maskz_mov_ps(tame, scale));
    d->tame &= tame == 0xffff;
}

/* ---- digits --------------------------------------------------------------------------------------------------- */

/* Sixteen numbers, as integers, with 128 added to each of the three lower bytes. In a row that counts as zeros, units
 * are 0: what is not finite becomes NaN, and that an integer whose lower bytes are 0. */
static inline __m512i raised(const float *x, __m512 units)
{
    __m512i n = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), units));
    return _mm512_add_epi32(n, _mm512_set1_epi32(0x808080));
}

/* Byte `from` of each lane of x, where `to` says. */
#define BYTE(into, to, x, from)                                                  \
    _mm512_mask_shuffle_epi8(into, 0x1111111111111111ull << (to), x,             \
                             _mm512_set4_epi32(0x0c0c0c0c + 0x01010101 * (from), \
                                               0x08080808 + 0x01010101 * (from), \
                                               0x04040404 + 0x01010101 * (from), \
                                               0x01010101 * (from)))

/* n rows of a register of each digit: row i from the four vectors at x + i * stride, `apart` numbers apart. */
static inline __attribute__((always_inline)) void split(unsigned char *to, const float *x,
                                                        int64_t stride, int64_t apart,
                                                        const float *units, bool is_a, int n)
{
    const __m512i half = _mm512_set1_epi8(-128);
#pragma GCC unroll 2
    for (int i = 0; i < n; i++, x += stride, to += 64) {
        __m512 u = is_a ? _mm512_set1_ps(units[i]) : _mm512_load_ps(units);
        __m512i a = raised(x, u), b = raised(x + apart, u), c = raised(x + 2 * apart, u),
                d = raised(x + 3 * apart, u);
        __m512i low = BYTE(BYTE(BYTE(a, 1, b, 0), 2, c, 0), 3, d, 0);
        __m512i middle = BYTE(BYTE(BYTE(b, 0, a, 1), 2, c, 1), 3, d, 1);
        __m512i high = BYTE(BYTE(BYTE(c, 0, a, 2), 1, b, 2), 3, d, 2);
        _mm512_store_si512((void *)to, _mm512_xor_si512(high, half));
        _mm512_store_si512((void *)(to + REG_BYTES), _mm512_xor_si512(middle, half));
        _mm512_store_si512((void *)(to + 2 * REG_BYTES), _mm512_xor_si512(low, half));
    }
}

/* 16 x 16 lanes of 4 bytes, turned: the first four of rows r, r + 4, r + 8 and r + 12 side by side, and so on, then
 * pairs of rows interleaved twice. */
static void turn_lanes(unsigned char *to, const unsigned char *from)
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

/* Rows from.. of a register, n of them, whose numbers lie as they must, or for the other side. */
static inline void rows_of_register(const AmxDigits *d, unsigned char *to, Side side,
                                    const float *x, int64_t stride, int64_t apart, int from, int n)
{
    x += from * stride;
    to += from * 64;
    if (side == SIDE_A && n == REG)
        split(to, x, stride, apart, d->units, true, REG);
    else if (side == SIDE_A)
        split(to, x, stride, apart, d->units + from, true, n);
    else if (n == REG)
        split(to, x, stride, apart, d->units, false, REG);
    else
        split(to, x, stride, apart, d->units, false, n);
}

/* A part of a register of a matrix that lies the other way round: four parts make digits for the other side, and three
 * turn those. */
static int64_t part_turned(AmxDigits *d, unsigned char *to, const float *x)
{
    const int turned = d->at_part - PARTS / 2;
    if (turned < 0) {
        const bool is_a = d->side == SIDE_A;
        rows_of_register(d, d->near.digits, is_a ? SIDE_B : SIDE_A, x, is_a ? d->step : d->row,
                         is_a ? REG * d->step : REG, d->at_part * REG / 4, REG / 4);
        return 1;
    }
    turn_lanes(to + turned * REG_BYTES, d->near.digits + turned * REG_BYTES);
    return turned == DIGITS - 1 ? 2 : 1;
}

/* A part of a register that the matrix does not fill, or whose numbers do not lie side by side at all: four parts bring
 * 16 steps near, each, and four make digits of a quarter of it. */
static int64_t part_gathered(AmxDigits *d, unsigned char *to, const float *x)
{
    const bool is_a = d->side == SIDE_A;
    const int64_t rows = d->rows - d->at_row < REG ? d->rows - d->at_row : REG;
    const int64_t left = d->steps - d->at_step - d->at_part * REG;
    const int64_t to_row = is_a ? DIGIT_STEPS : 1, to_step = is_a ? 1 : REG;
    if (d->at_part == 0)
        memset(&d->near, 0, sizeof d->near);
    if (d->at_part >= PARTS / 2)
        rows_of_register(d, to, d->side, d->near.numbers, is_a ? DIGIT_STEPS : REG,
                         is_a ? REG : REG * REG, (d->at_part - PARTS / 2) * REG / 4, REG / 4);
    else if (left > 0)
        amx_gather(d->near.numbers + d->at_part * REG * to_step, to_row, to_step,
                   x + d->at_part * REG * d->step, d->row, d->step, rows, left < REG ? left : REG);
    return 1;
}

/* The part that is next or, where none is done yet and there is time, the whole register; how many parts. */
static int64_t pack_register(AmxDigits *d, int64_t parts)
{
    const bool is_a = d->side == SIDE_A;
    const int64_t along = is_a ? d->step : d->row, across = is_a ? d->row : d->step;
    const float *x = d->x + d->at_row * d->row + d->at_step * d->step;
    unsigned char *to = d->to + d->at_row / REG * d->next + d->at_step / DIGIT_STEPS * DIGIT_BYTES;
    if (d->at_row + REG > d->rows || d->at_step + DIGIT_STEPS > d->steps ||
        (along != 1 && across != 1))
        return part_gathered(d, to, x);
    if (along != 1)
        return part_turned(d, to, x);
    const int64_t done = d->at_part == 0 && parts >= PARTS ? PARTS : 1;
    const int n = REG / PARTS;
    rows_of_register(d, to, d->side, x, across, is_a ? REG : REG * across, d->at_part * n,
                     (int)done * n);
    return done;
}

void amx_digits_begin(AmxDigits *d, unsigned char *to, int64_t next, Side side, float *scale,
                      const float *x, int64_t row, int64_t step, int64_t rows, int64_t steps)
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
    d->tame = true;
    d->known = NULL;
    d->at_row = d->at_step = 0;
    d->at_part = 0;
    d->measured = false;
}

void amx_digits_some(AmxDigits *d, int64_t parts)
{
    while (parts > 0 && d->at_row < d->rows) {
        if (!d->measured) {
            if (d->known)
                memcpy(d->largest, d->known + d->at_row, sizeof d->largest);
            else {
                measure(d, d->at_part++);
                parts--;
                if (d->at_part < MEASURING)
                    continue;
            }
            choose_units(d);
            d->measured = true;
            d->at_part = 0;
            continue;
        }
        int64_t done = pack_register(d, parts);
        parts -= done;
        d->at_part += (int)done;
        if (d->at_part < PARTS)
            continue;
        d->at_part = 0;
        d->at_step += DIGIT_STEPS;
        if (d->at_step < d->steps)
            continue;
        d->at_step = 0;
        d->at_row += REG;
        d->measured = false;
    }
}

int64_t amx_digits_parts(const AmxDigits *d)
{
    int64_t registers = (d->steps + DIGIT_STEPS - 1) / DIGIT_STEPS;
    return (d->rows + REG - 1) / REG * (MEASURING + PARTS * registers);
}
