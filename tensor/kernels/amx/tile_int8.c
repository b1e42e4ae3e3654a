/* tile_int8.c: the product of groups of int8 slices in the tile unit.
 *
 *                         b 0..15        register 7: 16 columns of one slice of B
 *      a 0..15   [ 6 ]    [ 0 2 4 ]      register 6: 16 rows of one slice of A
 *      a 16..31  [ 6 ]    [ 1 3 5 ]      registers 0 to 5: 32 x 16 integer sums of each order
 *
 * For each 64 steps, the twelve products of slices are ordered so that each shares one operand with
 * the product before:
 *
 *      b0: a2 a2' a1' a1 a0 a0'    b2: a0' a0    b1: a0 a1 a1' a0'      (a': rows 16..31)
 *
 * The sums of the three orders pass through memory, are converted to floats and added, the smallest
 * order first.
 *
 * 32 x 512 columns from the first two cache levels, one thread: 357 GFLOP/s of float products for
 * 64 steps, 453 for 128, 575 for 256, of 1000 that the unit reaches on such numbers (the
 * benchmark's row peak_tiles) and 220 of AVX-512's multiply-adds, on a shared Xeon with AVX-512 and
 * AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

/* The sums of each order, for both halves of the rows. */
typedef struct {
    int32_t of[ORDERS][PANEL][TILE_ROWS];
} __attribute__((aligned(64))) Sums;

#define LOAD_A(half, slice) _tile_loadd(6, a + (half)*p->next + (slice)*TILE_BYTES, 64)
#define LOAD_B(slice)       _tile_loadd(7, b + (slice)*TILE_BYTES, 64)

/* The six products for both halves of the rows (`tall`, a constant) or for one. The intrinsics
 * require literal register numbers. */
static inline __attribute__((always_inline)) void
multiply_tiles(bool tall, const Int8Product *p, int half, const unsigned char *b, Sums *sums)
{
    const unsigned char *a = p->a + half * p->next;
    __asm__ volatile(
        "" ::
            : "memory"); /* the unit reads the packed slices; compilers do not know it */
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (int64_t l = 0; l < p->steps;
         l += INT8_STEPS, a += INT8_GROUP_BYTES, b += INT8_GROUP_BYTES) {
        LOAD_B(0);
        LOAD_A(0, 2);
        _tile_dpbssd(4, 6, 7);
        if (tall) {
            LOAD_A(1, 2);
            _tile_dpbssd(5, 6, 7);
            LOAD_A(1, 1);
            _tile_dpbssd(3, 6, 7);
        }
        LOAD_A(0, 1);
        _tile_dpbssd(2, 6, 7);
        LOAD_A(0, 0);
        _tile_dpbssd(0, 6, 7);
        amx_int8_packing_advance(p->overlapped, p->parts_per_step);
        if (tall) {
            LOAD_A(1, 0);
            _tile_dpbssd(1, 6, 7);
            LOAD_B(2);
            _tile_dpbssd(5, 6, 7);
            LOAD_A(0, 0);
            _tile_dpbssd(4, 6, 7);
        } else {
            LOAD_B(2);
            _tile_dpbssd(4, 6, 7);
        }
        LOAD_B(1);
        _tile_dpbssd(2, 6, 7);
        LOAD_A(0, 1);
        _tile_dpbssd(4, 6, 7);
        if (tall) {
            LOAD_A(1, 1);
            _tile_dpbssd(5, 6, 7);
            LOAD_A(1, 0);
            _tile_dpbssd(3, 6, 7);
        }
    }
    _tile_stored(0, sums->of[0][half * TILE_ROWS], 64);
    _tile_stored(2, sums->of[1][half * TILE_ROWS], 64);
    _tile_stored(4, sums->of[2][half * TILE_ROWS], 64);
    if (tall) {
        _tile_stored(1, sums->of[0][TILE_ROWS], 64);
        _tile_stored(3, sums->of[1][TILE_ROWS], 64);
        _tile_stored(5, sums->of[2][TILE_ROWS], 64);
    }
    __asm__ volatile("" ::: "memory");
}

/* The six products for all 32 rows, and for one half of them. Each is a function of its own, so
 * that `tall` is a constant in the loop over the steps. */
static __attribute__((noinline)) void multiply_both(const Int8Product *p, const unsigned char *b,
                                                    Sums *sums)
{
    multiply_tiles(true, p, 0, b, sums);
}

static __attribute__((noinline)) void multiply_half(const Int8Product *p, int half,
                                                    const unsigned char *b, Sums *sums)
{
    multiply_tiles(false, p, half, b, sums);
}

#define LOAD(to, from, slice) _tile_loadd(to, from + (slice)*TILE_BYTES, 64)

/* All nine products for one half of the rows: registers 0 to 4 are the sums of the five orders, 5
 * is a slice of A, 6 and 7 are slices of B. */
static __attribute__((noinline)) void multiply_full(const Int8Product *p, int half,
                                                    const unsigned char *b, Sums *sums)
{
    const unsigned char *a = p->a + half * p->next;
    __asm__ volatile("" ::: "memory");
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    for (int64_t l = 0; l < p->steps;
         l += INT8_STEPS, a += INT8_GROUP_BYTES, b += INT8_GROUP_BYTES) {
        LOAD(6, b, 0);
        LOAD(7, b, 1);
        LOAD(5, a, 0);
        _tile_dpbssd(0, 5, 6);
        _tile_dpbssd(1, 5, 7);
        LOAD(5, a, 1);
        _tile_dpbssd(1, 5, 6);
        _tile_dpbssd(2, 5, 7);
        amx_int8_packing_advance(p->overlapped, p->parts_per_step);
        LOAD(5, a, 2);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
        LOAD(6, b, 2);
        _tile_dpbssd(4, 5, 6);
        LOAD(5, a, 1);
        _tile_dpbssd(3, 5, 6);
        LOAD(5, a, 0);
        _tile_dpbssd(2, 5, 6);
    }
    _tile_stored(0, sums->of[0][half * TILE_ROWS], 64);
    _tile_stored(1, sums->of[1][half * TILE_ROWS], 64);
    _tile_stored(2, sums->of[2][half * TILE_ROWS], 64);
    _tile_stored(3, sums->of[3][half * TILE_ROWS], 64);
    _tile_stored(4, sums->of[4][half * TILE_ROWS], 64);
    __asm__ volatile("" ::: "memory");
}

/* ---- sums to C ------------------------------------------------------------------------------- */

/* Row i of C: the sums in floats, added with their powers of 256 and multiplied by the scales of A
 * and B. An order's sum is below 2^31 for up to 384 steps, and its conversion to a float rounds
 * once. */
static inline __m512 combine_fast(const Int8Product *p, const Sums *sums, int64_t i, __m512 b_scale,
                                  __m512 from)
{
    __m512 sum[SLICES];
    for (int order = 0; order < SLICES; order++)
        sum[order] = _mm512_cvtepi32_ps(_mm512_load_si512(sums->of[order][i]));
    __m512 low = _mm512_fmadd_ps(sum[2], _mm512_set1_ps(0x1p-8f), sum[1]);
    __m512 all = _mm512_fmadd_ps(low, _mm512_set1_ps(0x1p-8f), sum[0]);
    return _mm512_fmadd_ps(_mm512_mul_ps(all, _mm512_set1_ps(p->a_scale[i])), b_scale, from);
}

/* As combine_fast, from the sums of all five orders. A product of two slices is at most 2^14, so
 * that 2^8 times order 0 (one product in each of at most 384 steps) plus order 1 is below 2^31. */
static inline __m512 combine_full(const Int8Product *p, const Sums *sums, int64_t i, __m512 b_scale,
                                  __m512 from)
{
    __m512i of[ORDERS];
    for (int order = 0; order < ORDERS; order++)
        of[order] = _mm512_load_si512(sums->of[order][i]);
    const __m512i high = _mm512_add_epi32(_mm512_slli_epi32(of[0], 8), of[1]);
    const __m512 unit = _mm512_set1_ps(0x1p-8f);
    __m512 low = _mm512_fmadd_ps(_mm512_cvtepi32_ps(of[4]), unit, _mm512_cvtepi32_ps(of[3]));
    low = _mm512_fmadd_ps(low, unit, _mm512_cvtepi32_ps(of[2]));
    __m512 all = _mm512_fmadd_ps(low, unit, _mm512_cvtepi32_ps(high));
    return _mm512_fmadd_ps(_mm512_mul_ps(all, _mm512_set1_ps(0x1p-8f * p->a_scale[i])), b_scale,
                           from);
}

/* Eight elements, in doubles and rounded once: exact where the result is a float. `high` has the
 * orders 0 and 1, in units of 2^-8, `middle` order 2, and `low` the orders 3 and 4, in units of
 * 2^-24. */
static inline __m256 combine_eight(__m256i high, __m256i middle, __m512d low, __m512d scale,
                                   __m256 from)
{
    __m512d all = _mm512_fmadd_pd(low, _mm512_set1_pd(0x1p-16), _mm512_cvtepi32_pd(middle));
    all = _mm512_fmadd_pd(all, _mm512_set1_pd(0x1p-8), _mm512_cvtepi32_pd(high));
    return _mm512_cvtpd_ps(_mm512_fmadd_pd(all, scale, _mm512_cvtps_pd(from)));
}

/* The orders 3 and 4 of eight elements, in units of 2^-24: added as integers where they fit. */
static inline __m512d join_low_orders(__m256i third, __m256i last, bool fit)
{
    if (fit)
        return _mm512_cvtepi32_pd(_mm256_add_epi32(_mm256_slli_epi32(third, 8), last));
    return _mm512_fmadd_pd(_mm512_cvtepi32_pd(third), _mm512_set1_pd(0x1p8),
                           _mm512_cvtepi32_pd(last));
}

#define FIRST_EIGHT(x) _mm512_castsi512_si256(x)
#define LAST_EIGHT(x)  _mm512_extracti64x4_epi64(x, 1)

/* As combine_full, in doubles: two halves of eight elements each. 2^8 times order 3 (two products
 * in each step) plus order 4 is below 2^31 for at most 192 steps. */
static inline __m512 combine_exact(const Int8Product *p, const Sums *sums, int64_t i,
                                   __m512 b_scale, __m512 from)
{
    const bool fit = p->steps <= 192;
    __m512i of[ORDERS];
    for (int order = 0; order < ORDERS; order++)
        of[order] = _mm512_load_si512(sums->of[order][i]);
    const __m512i high = _mm512_add_epi32(_mm512_slli_epi32(of[0], 8), of[1]);
    const __m512d a_scale = _mm512_set1_pd(0x1p-8 * (double)p->a_scale[i]);
    __m256 first =
        combine_eight(FIRST_EIGHT(high), FIRST_EIGHT(of[2]),
                      join_low_orders(FIRST_EIGHT(of[3]), FIRST_EIGHT(of[4]), fit),
                      _mm512_mul_pd(a_scale, _mm512_cvtps_pd(_mm512_castps512_ps256(b_scale))),
                      _mm512_castps512_ps256(from));
    __m256 last =
        combine_eight(LAST_EIGHT(high), LAST_EIGHT(of[2]),
                      join_low_orders(LAST_EIGHT(of[3]), LAST_EIGHT(of[4]), fit),
                      _mm512_mul_pd(a_scale, _mm512_cvtps_pd(_mm512_extractf32x8_ps(b_scale, 1))),
                      _mm512_extractf32x8_ps(from, 1));
    return _mm512_insertf32x8(_mm512_castps256_ps512(first), last, 1);
}

/* The rows first.. to before `end` and columns j.. of C, and how their sums become floats. */
typedef struct {
    int64_t first, end, j, columns;
    Int8Mode mode;
} Block;

/* Row i of C, sixteen columns. */
static inline __m512 combine_row(const Int8Product *p, const Sums *sums, const Block *k, int64_t i,
                                 __m512 b_scale, __m512 from)
{
    return k->mode == INT8_FAST   ? combine_fast(p, sums, i, b_scale, from)
           : k->mode == INT8_FULL ? combine_full(p, sums, i, b_scale, from)
                                  : combine_exact(p, sums, i, b_scale, from);
}

/* Prefetches the rows that a block of C starts from, which are far apart in memory, so that they
 * arrive while the tile unit multiplies. */
static inline void prefetch_start(const Int8Product *p, const Block *k)
{
    if (!p->from || p->from_column != 1)
        return;
    const float *from = p->from + k->j + k->first * p->from_row;
    for (int64_t i = k->first; i < k->end; i++, from += p->from_row)
        __builtin_prefetch(from);
}

/* Stores a block of C whose columns are contiguous.
 * b_scale and `there` are the same for all rows. */
static inline void store_rows(const Int8Product *p, const Sums *sums, const Block *k)
{
    const __mmask16 there = (__mmask16)((1 << k->columns) - 1);
    const __m512 b_scale = _mm512_loadu_ps(p->b_scale + k->j);
    const int64_t c_row = p->c_row, from_row = p->from_row;
    float *c = p->c + k->j + k->first * c_row;
    const float *from = p->from ? p->from + k->j + k->first * from_row : NULL;
    for (int64_t i = k->first; i < k->end; i++, c += c_row) {
        __m512 start = _mm512_setzero_ps();
        if (from) {
            start = _mm512_maskz_loadu_ps(there, from);
            from += from_row;
        }
        _mm512_mask_storeu_ps(c, there, combine_row(p, sums, k, i, b_scale, start));
    }
}

/* As store_rows, for non-contiguous columns. */
static void store_rows_strided(const Int8Product *p, const Sums *sums, const Block *k)
{
    const __m512 b_scale = _mm512_loadu_ps(p->b_scale + k->j);
    float row[TILE_ROWS] = {0};
    for (int64_t i = k->first; i < k->end; i++) {
        for (int64_t l = 0; l < k->columns; l++)
            row[l] = p->from ? p->from[i * p->from_row + (k->j + l) * p->from_column] : 0;
        _mm512_storeu_ps(row, combine_row(p, sums, k, i, b_scale, _mm512_loadu_ps(row)));
        for (int64_t l = 0; l < k->columns; l++)
            p->c[i * p->c_row + (k->j + l) * p->c_column] = row[l];
    }
}

/* Stores a block by the loop that fits its layout. The calls with a literal mode are compiled
 * without the branch. */
static void store_block(const Int8Product *p, const Sums *sums, const Block *k)
{
    if (p->c_column != 1 || (p->from && p->from_column != 1))
        store_rows_strided(p, sums, k);
    else if (k->mode == INT8_FAST)
        store_rows(p, sums, &(Block){k->first, k->end, k->j, k->columns, INT8_FAST});
    else if (k->mode == INT8_FULL)
        store_rows(p, sums, &(Block){k->first, k->end, k->j, k->columns, INT8_FULL});
    else
        store_rows(p, sums, &(Block){k->first, k->end, k->j, k->columns, INT8_EXACT});
}

/* A block whose sums are all 0: C becomes what it starts from. */
static void store_start(const Int8Product *p, const Block *k)
{
    if (p->from == p->c)
        return;
    for (int64_t i = k->first; i < k->end; i++)
        for (int64_t l = k->j; l < k->j + k->columns; l++)
            p->c[i * p->c_row + l * p->c_column] =
                p->from ? p->from[i * p->from_row + l * p->from_column] : 0;
}

/* The mode of the columns from j on, a multiple of TILE_ROWS, for a half of the rows. */
static inline Int8Mode mode_at(const Int8Product *p, int half, int64_t j)
{
    return p->mode[half] ? (Int8Mode)p->mode[half][j / TILE_ROWS] : p->mode_of_half[half];
}

/* One group of columns where the halves of the rows are computed differently.
 * Each half is multiplied and stored by itself. */
static void multiply_halves(const Int8Product *p, const unsigned char *b, Sums *sums, Block k)
{
    for (int half = 0; half * TILE_ROWS < p->m; half++) {
        k.mode = mode_at(p, half, k.j);
        k.first = half * TILE_ROWS;
        k.end = p->m - k.first < TILE_ROWS ? p->m : k.first + TILE_ROWS;
        if (k.mode == INT8_ZERO)
            store_start(p, &k);
        if (k.mode == INT8_ZERO || k.mode == INT8_INEXACT)
            continue;
        prefetch_start(p, &k);
        if (k.mode == INT8_FAST)
            multiply_half(p, half, b, sums);
        else
            multiply_full(p, half, b, sums);
        store_block(p, sums, &k);
    }
}

/* The groups of A stay in the first-level cache while those of B are read.
 * Where both halves of a panel take six products, they share the loads of B. A tile with the mode
 * INT8_INEXACT is not written at all. */
void amx_multiply_int8(const Int8Product *p)
{
    Sums sums;
    const unsigned char *b = p->b;
    for (int64_t j = 0; j < p->n; j += TILE_ROWS, b += p->next) {
        Block k = {0, p->m, j, p->n - j < TILE_ROWS ? p->n - j : TILE_ROWS, INT8_FAST};
        if (p->m <= TILE_ROWS || mode_at(p, 0, j) != INT8_FAST || mode_at(p, 1, j) != INT8_FAST) {
            multiply_halves(p, b, &sums, k);
            continue;
        }
        prefetch_start(p, &k);
        multiply_both(p, b, &sums);
        store_block(p, &sums, &k);
    }
}
