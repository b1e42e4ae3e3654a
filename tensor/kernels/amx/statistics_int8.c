/* statistics_int8.c: what packing knows of 16 rows before it slices them (kernels/amx/pack_int8.c).
 *
 * The first pass over a group finds the absolute maximum of each row and the sum of |x|. Whether a
 * row is granular (its last mantissa bits are 0) mostly shows in a few elements. In a row that is
 * too wide for slices, the wide elements often stand in few steps: outlier channels, the class
 * token of an image, the targets among the gradients of logits. The slices of 16 rows of A leave
 * such steps out, those of 16 columns of B such elements, and the caller adds their products in
 * floats. What is left has its own statistics, and is sliced if these suffice. The error of its
 * products is then small beside |A||B| of the remaining steps, and so beside that of all. Often
 * only zeros are left (the gradient of class tokens alone): such a group needs neither slices nor
 * tiles. */
#include "tensor/kernels/amx/tile_int8.h"

/* Prefetches the line of x and the next one. The address need not exist. */
static inline void prefetch_pair(const float *x)
{
    __builtin_prefetch(x);
    __builtin_prefetch(x + TILE_ROWS);
}

/* What the first pass finds of a row, in lanes. */
typedef struct {
    __m512i absmax;
    __m512 sum;
} Statistics;

static inline void gather_statistics(Statistics *s, __m512 x)
{
    const __m512i abs = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX));
    s->absmax = _mm512_max_epu32(s->absmax, abs);
    s->sum = _mm512_add_ps(s->sum, _mm512_castsi512_ps(abs));
}

static inline Statistics join_statistics(Statistics a, Statistics b)
{
    return (Statistics){_mm512_max_epu32(a.absmax, b.absmax), _mm512_add_ps(a.sum, b.sum)};
}

/* The statistics of four rows, of which at least one exists, into d's from `first` on; those of the
 * others are 0. The elements `ahead` of each are prefetched: this pass is the first to touch the
 * matrix, and they come next. */
static void statistics_of_rows(Int8Packing *d, int64_t first, const float *x, int64_t row,
                               int64_t rows, int64_t steps, int64_t ahead)
{
    __m512i absmax[4], sum[4];
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
        sum[r] = _mm512_castps_si512(one.sum);
    }
    _mm_store_si128((__m128i *)(d->sum + first), horizontal_sum_of_four(sum));
    _mm_store_si128((__m128i *)(d->absmax + first), horizontal_max_of_four(absmax));
}

/* The statistics of each of TILE_ROWS rows over so many steps, joined to those so far. */
static void statistics_of_steps(Int8Packing *d, const float *x, int64_t rows, int64_t step,
                                int64_t steps, int64_t ahead)
{
    const __mmask16 there = first_lanes(rows);
    Statistics other = {0}, one = {_mm512_load_si512(d->absmax), _mm512_load_ps(d->sum)};
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
    _mm512_store_ps(d->sum, one.sum);
}

void amx_int8_find_statistics(Int8Packing *d, int part)
{
    const int64_t rows = d->rows - d->at_row < TILE_ROWS ? d->rows - d->at_row : TILE_ROWS;
    const float *x = d->group;
    const int64_t row = d->group_row, step = d->group_step;
    if (part == 0) {
        memset(d->absmax, 0, sizeof d->absmax);
        memset(d->sum, 0, sizeof d->sum);
    }
    const int64_t first_row = part * TILE_ROWS / 4;
    const int64_t ahead = d->row * (d->side == SIDE_A ? PANEL : TILE_ROWS);
    if (step == 1) {
        if (first_row < rows)
            statistics_of_rows(d, first_row, x + first_row * row, row, rows - first_row, d->steps,
                               ahead);
        return;
    }
    const int64_t first = d->steps * part / 4, end = d->steps * (part + 1) / 4;
    if (row == 1) {
        statistics_of_steps(d, x + first * step, rows, step, end - first, ahead);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t l = first; l < end; l++) {
            uint32_t bits;
            memcpy(&bits, &x[r * row + l * step], sizeof bits);
            bits &= INT32_MAX;
            d->absmax[r] = bits > d->absmax[r] ? bits : d->absmax[r];
            d->sum[r] += fabsf(x[r * row + l * step]);
        }
}

/* How many steps from l on, at most TILE_ROWS, there are of the group. */
static inline int64_t steps_from(const Int8Packing *d, int64_t l)
{
    return d->steps - l < TILE_ROWS ? d->steps - l : TILE_ROWS;
}

/* Those of the rows whose elements at so many steps from l on, at most TILE_ROWS, have 0 as their
 * last mantissa bit. */
static __mmask16 granular_at(const Int8Packing *d, __mmask16 rows, int64_t l, int64_t steps)
{
    const __m512i last = _mm512_set1_epi32(1);
    const float *x = d->group + l * d->group_step;
    if (d->group_row == 1) {
        __m512i any = _mm512_setzero_si512();
        for (int64_t s = 0; s < steps; s++)
            any = _mm512_or_si512(any, _mm512_maskz_loadu_epi32(rows, x + s * d->group_step));
        return rows & _mm512_testn_epi32_mask(any, last);
    }
    if (d->group_step == 1 && steps == TILE_ROWS && d->rows - d->at_row >= TILE_ROWS) {
        unsigned not_granular = 0;
#pragma GCC unroll 16
        for (int r = 0; r < TILE_ROWS; r++, x += d->group_row)
            not_granular |= (unsigned)(_mm512_test_epi32_mask(_mm512_loadu_si512(x), last) != 0)
                            << r;
        return (__mmask16)(rows & ~not_granular);
    }
    for (int r = 0; r < TILE_ROWS; r++)
        for (int64_t s = 0; (rows >> r & 1) && s < steps; s++) {
            uint32_t bits;
            memcpy(&bits, &x[r * d->group_row + s * d->group_step], sizeof bits);
            rows &= (__mmask16) ~((bits & 1) << r);
        }
    return rows;
}

__mmask16 amx_int8_granular(const Int8Packing *d, __mmask16 rows)
{
    for (int64_t l = 0; rows && l < d->steps; l += TILE_ROWS)
        rows = granular_at(d, rows, l, steps_from(d, l));
    return rows;
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* Counting ends above `limit`. */
int64_t amx_int8_count_nonzero(const Int8Packing *d, __mmask16 rows, int64_t limit)
{
    const __m512 zero = _mm512_setzero_ps();
    int64_t count = 0;
    if (d->group_row == 1) {
        for (int64_t l = 0; l < d->steps && count <= limit; l++)
            count += __builtin_popcount(
                _mm512_cmp_ps_mask(_mm512_maskz_loadu_ps(rows, d->group + l * d->group_step), zero,
                                   _CMP_NEQ_UQ));
        return count;
    }
    for (unsigned left = rows; left && count <= limit; left &= left - 1) {
        const float *x = d->group + __builtin_ctz(left) * d->group_row;
        for (int64_t l = 0; d->group_step == 1 && l < d->steps; l += TILE_ROWS)
            count += __builtin_popcount(
                _mm512_cmp_ps_mask(_mm512_maskz_loadu_ps(first_lanes(steps_from(d, l)), x + l),
                                   zero, _CMP_NEQ_UQ));
        for (int64_t l = 0; d->group_step != 1 && l < d->steps; l++)
            count += x[l * d->group_step] != 0;
    }
    return count;
}

/* How many steps have an element above its row's `most`, where steps are contiguous. */
static int64_t count_wide_steps(const Int8Packing *d, int64_t rows, __m512 most)
{
    float of[TILE_ROWS];
    int64_t count = 0;
    _mm512_storeu_ps(of, most);
    for (int64_t l = 0; l < d->steps; l += TILE_ROWS) {
        const __mmask16 there = first_lanes(steps_from(d, l));
        __mmask16 wide = 0;
        for (int64_t r = 0; r < rows; r++)
            wide |= _mm512_cmp_ps_mask(
                _mm512_abs_ps(_mm512_maskz_loadu_ps(there, d->group + r * d->group_row + l)),
                _mm512_set1_ps(of[r]), _CMP_GT_OQ);
        count += __builtin_popcount(wide);
    }
    return count;
}

/* The group's rows along the lanes, as if for SIDE_B with contiguous rows. */
static void copy_group(const Int8Packing *d, int64_t rows)
{
    for (int64_t l = 0; l < d->steps; l += TILE_ROWS)
        amx_copy_block(d->rest + l * TILE_ROWS, 1, TILE_ROWS, d->group + l * d->group_step,
                       d->group_row, d->group_step, rows, steps_from(d, l));
}

/* Copies to `rest` the steps at `from`, of so many rows along the lanes. On SIDE_A a step with an
 * element above its row's `most` becomes zeros, on SIDE_B such an element alone: few columns of a
 * group are wide, mostly one. The statistics are those of the copy. False where more steps than
 * `limit` are left out. */
static bool copy_without_wide(Int8Packing *d, Int8LeftOut *left_out, int limit, const float *from,
                              int64_t step, int64_t rows, __m512 most, Statistics *copied)
{
    const __mmask16 there = first_lanes(rows);
    *copied = (Statistics){0};
    for (int64_t l = 0; l < d->steps; l++) {
        __m512 x = _mm512_maskz_loadu_ps(there, from + l * step);
        const __mmask16 wide = _mm512_cmp_ps_mask(_mm512_abs_ps(x), most, _CMP_GT_OQ);
        if (wide) {
            const __mmask16 without = d->side == SIDE_A ? 0xffff : wide;
            if (left_out->steps == limit)
                return false;
            left_out->step[left_out->steps] = (uint16_t)l;
            left_out->without[left_out->steps++] = without;
            x = _mm512_maskz_mov_ps(_knot_mask16(without), x);
        }
        gather_statistics(copied, x);
        _mm512_store_ps(d->rest + l * TILE_ROWS, x);
    }
    return true;
}

/* Without what is left out, the mean |x| is smaller, so that further elements may exceed their
 * row's limit. More than a quarter of the steps in floats would cost more than the whole product in
 * floats. */
bool amx_int8_leave_out(Int8Packing *d, Int8LeftOut *left_out, float spread)
{
    const int64_t rows = d->rows - d->at_row < TILE_ROWS ? d->rows - d->at_row : TILE_ROWS;
    const int limit = d->steps / 4 < INT8_LEFT_OUT ? (int)d->steps / 4 : INT8_LEFT_OUT;
    const __m512 of_mean = _mm512_set1_ps(spread / (float)d->steps);
    const float *from = d->group;
    int64_t step = d->group_step;
    Statistics s = {.absmax = _mm512_load_si512(d->absmax), .sum = _mm512_load_ps(d->sum)};
    __m512 most = _mm512_mul_ps(s.sum, of_mean);
    left_out->steps = 0;
    if (_mm512_cmpeq_ps_mask(_mm512_load_ps(d->units), _mm512_setzero_ps()))
        return false;
    if (d->group_step == 1 && d->group_row != 1 && count_wide_steps(d, rows, most) > limit)
        return false;
    if (d->group_row != 1) {
        copy_group(d, rows);
        from = d->rest;
        step = TILE_ROWS;
    }
    while (_mm512_cmp_ps_mask(_mm512_castsi512_ps(s.absmax), most, _CMP_GT_OQ)) {
        if (!copy_without_wide(d, left_out, limit, from, step, rows, most, &s)) {
            left_out->steps = 0;
            return false;
        }
        most = _mm512_mul_ps(s.sum, of_mean);
        from = d->rest;
        step = TILE_ROWS;
    }
    if (left_out->steps == 0)
        return false;
    _mm512_store_si512(d->absmax, s.absmax);
    _mm512_store_ps(d->sum, s.sum);
    d->group = d->rest;
    d->group_row = 1;
    d->group_step = TILE_ROWS;
    return true;
}
