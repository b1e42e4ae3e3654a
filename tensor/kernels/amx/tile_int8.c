/* tile_int8.c: the product of groups of int8 slices in the tile unit.
 *
 *                         b 0..15        register 7: 16 columns of one slice of B
 *      a 0..15   [ 6 ]    [ 0 2 4 ]      register 6: 16 rows of one slice of A
 *      a 16..31  [ 6 ]    [ 1 3 5 ]      registers 0 to 5: 32 x 16 integer sums of each order
 *
 * For each 64 steps, the twelve products of slices are ordered so that each shares one operand with the product before:
 *
 *      b0: a2 a2' a1' a1 a0 a0'    b2: a0' a0    b1: a0 a1 a1' a0'      (a': rows 16..31)
 *
 * The sums of the three orders pass through memory, are converted to floats and added, the smallest order first.
 *
 * 32 x 512 columns from the first two cache levels, one thread: 357 GFLOP/s of float products for 64 steps, 453 for 128,
 * 575 for 256, of 1000 that the unit reaches on such numbers (the benchmark's row peak_tiles) and 220 of AVX-512's
 * multiply-adds, on a shared Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

/* The sums of each order, for both halves of the rows. */
typedef struct {
    int32_t of[SLICES][2][TILE_ROWS][TILE_ROWS];
} __attribute__((aligned(64))) Sums;

#define LOAD_A(half, slice) _tile_loadd(6, a + (half)*p->next + (slice)*TILE_BYTES, 64)
#define LOAD_B(slice)       _tile_loadd(7, b + (slice)*TILE_BYTES, 64)

/* One or two halves of rows: a constant at every call. The intrinsics require literal register numbers. */
static inline __attribute__((always_inline)) void multiply_tiles(bool tall, const Int8Product *p,
                                                                 const unsigned char *b, Sums *sums)
{
    const unsigned char *a = p->a;
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
        int8_packing_advance(p->overlapped, p->parts_per_step);
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
    _tile_stored(0, sums->of[0][0], 64);
    _tile_stored(2, sums->of[1][0], 64);
    _tile_stored(4, sums->of[2][0], 64);
    if (tall) {
        _tile_stored(1, sums->of[0][1], 64);
        _tile_stored(3, sums->of[1][1], 64);
        _tile_stored(5, sums->of[2][1], 64);
    }
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void multiply_group(const Int8Product *p, const unsigned char *b,
                                                     Sums *sums)
{
    if (p->m > TILE_ROWS)
        multiply_tiles(true, p, b, sums);
    else
        multiply_tiles(false, p, b, sums);
}

/* Row i of C: the sums in floats, added with their powers of 256 and multiplied by the scales of A and B. */
static inline __m512 combine_row(const Int8Product *p, const Sums *sums, int64_t i, __m512 b_scale,
                                 __m512 from)
{
    __m512 sum[SLICES];
    for (int order = 0; order < SLICES; order++)
        sum[order] =
            _mm512_cvtepi32_ps(_mm512_load_si512(sums->of[order][i / TILE_ROWS][i % TILE_ROWS]));
    __m512 low = _mm512_fmadd_ps(sum[2], _mm512_set1_ps(0x1p-8f), sum[1]);
    __m512 all = _mm512_fmadd_ps(low, _mm512_set1_ps(0x1p-8f), sum[0]);
    return _mm512_fmadd_ps(_mm512_mul_ps(all, _mm512_set1_ps(p->a_scale[i])), b_scale, from);
}

/* Stores columns j.. of C where they are contiguous. */
static void store_rows(const Int8Product *p, const Sums *sums, int64_t j, __mmask16 there)
{
    const __m512 b_scale = _mm512_loadu_ps(p->b_scale + j);
    float *c = p->c + j;
    const float *from = p->from ? p->from + j : NULL;
    for (int64_t i = 0; i < p->m; i++, c += p->c_row) {
        __m512 start = _mm512_setzero_ps();
        if (from) {
            start = _mm512_maskz_loadu_ps(there, from);
            from += p->from_row;
        }
        _mm512_mask_storeu_ps(c, there, combine_row(p, sums, i, b_scale, start));
    }
}

/* As store_rows, for non-contiguous columns. */
static void store_rows_strided(const Int8Product *p, const Sums *sums, int64_t j, int64_t columns)
{
    const __m512 b_scale = _mm512_loadu_ps(p->b_scale + j);
    float row[TILE_ROWS] = {0};
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t l = 0; l < columns; l++)
            row[l] = p->from ? p->from[i * p->from_row + (j + l) * p->from_column] : 0;
        _mm512_storeu_ps(row, combine_row(p, sums, i, b_scale, _mm512_loadu_ps(row)));
        for (int64_t l = 0; l < columns; l++)
            p->c[i * p->c_row + (j + l) * p->c_column] = row[l];
    }
}

/* The groups of A stay in the first-level cache while those of B are read. */
void amx_multiply_int8(const Int8Product *p)
{
    Sums sums;
    const unsigned char *b = p->b;
    for (int64_t j = 0; j < p->n; j += TILE_ROWS, b += p->next) {
        int64_t columns = p->n - j < TILE_ROWS ? p->n - j : TILE_ROWS;
        multiply_group(p, b, &sums);
        if (p->c_column == 1 && (!p->from || p->from_column == 1))
            store_rows(p, &sums, j, (__mmask16)((1 << columns) - 1));
        else
            store_rows_strided(p, &sums, j, columns);
    }
}
