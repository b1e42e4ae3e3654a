/* tile_int8.c: a product of groups of digits, in the tile unit.
 *
 *                         b 0..15        register 7: 16 columns of one digit of B
 *      a 0..15   [ 6 ]    [ 0 2 4 ]      register 6: 16 rows of one digit of A
 *      a 16..31  [ 6 ]    [ 1 3 5 ]      registers 0 to 5: 32 x 16 sums of each order, integers
 *
 * For each 64 steps, the twelve products of digits in an order in which each shares one operand with the last:
 *
 *      b0: a2 a2' a1' a1 a0 a0'    b2: a0' a0    b1: a0 a1 a1' a0'      (a': rows 16..31)
 *
 * The six sums become floats through memory, of one order after the other, the smallest first.
 *
 * 32 x 512 columns out of the near caches, one thread: 357 GFLOP/s of float products for 64 steps, 453 for 128, 575 for
 * 256, of 1000 that the unit reaches on numbers like these (the benchmark's row peak_tiles) and 220 of the processor's own
 * multiply-adds: a Xeon with AVX-512 and AMX that did other work too, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/tile_int8.h"

/* Orders of sums, and halves of the rows. */
typedef struct {
    int32_t of[DIGITS][2][REG][REG];
} __attribute__((aligned(64))) Sums;

#define A(half, digit) _tile_loadd(6, a + (half)*p->next + (digit)*REG_BYTES, 64)
#define B(digit)       _tile_loadd(7, b + (digit)*REG_BYTES, 64)

/* One or two halves of rows: a constant at every call. The intrinsics want a register's number as it stands. */
static inline __attribute__((always_inline)) void sums_of(bool tall, const AmxIntegers *p,
                                                          const unsigned char *b, Sums *sums)
{
    const unsigned char *a = p->a;
    __asm__ volatile("" ::
                         : "memory"); /* the unit reads what was written: compilers do not see it */
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (int64_t l = 0; l < p->steps; l += DIGIT_STEPS, a += DIGIT_BYTES, b += DIGIT_BYTES) {
        B(0);
        A(0, 2);
        _tile_dpbssd(4, 6, 7);
        if (tall) {
            A(1, 2);
            _tile_dpbssd(5, 6, 7);
            A(1, 1);
            _tile_dpbssd(3, 6, 7);
        }
        A(0, 1);
        _tile_dpbssd(2, 6, 7);
        A(0, 0);
        _tile_dpbssd(0, 6, 7);
        amx_digits_some(p->meanwhile, p->some);
        if (tall) {
            A(1, 0);
            _tile_dpbssd(1, 6, 7);
            B(2);
            _tile_dpbssd(5, 6, 7);
            A(0, 0);
            _tile_dpbssd(4, 6, 7);
        } else {
            B(2);
            _tile_dpbssd(4, 6, 7);
        }
        B(1);
        _tile_dpbssd(2, 6, 7);
        A(0, 1);
        _tile_dpbssd(4, 6, 7);
        if (tall) {
            A(1, 1);
            _tile_dpbssd(5, 6, 7);
            A(1, 0);
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

static __attribute__((noinline)) void sums_of_rows(const AmxIntegers *p, const unsigned char *b,
                                                   Sums *sums)
{
    if (p->m > REG)
        sums_of(true, p, b, sums);
    else
        sums_of(false, p, b, sums);
}

/* Sums of row i, as floats, times 2^16 units of A and of B; those of the highest order count as they are. */
static inline __m512 row_of(const AmxIntegers *p, const Sums *sums, int64_t i, __m512 b_scale,
                            __m512 from)
{
    __m512 sum[DIGITS];
    for (int order = 0; order < DIGITS; order++)
        sum[order] = _mm512_cvtepi32_ps(_mm512_load_si512(sums->of[order][i / REG][i % REG]));
    __m512 low = _mm512_fmadd_ps(sum[2], _mm512_set1_ps(0x1p-8f), sum[1]);
    __m512 all = _mm512_fmadd_ps(low, _mm512_set1_ps(0x1p-8f), sum[0]);
    return _mm512_fmadd_ps(_mm512_mul_ps(all, _mm512_set1_ps(p->a_scale[i])), b_scale, from);
}

/* Columns j.. of C, where they lie side by side. */
static void finish(const AmxIntegers *p, const Sums *sums, int64_t j, __mmask16 there)
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
        _mm512_mask_storeu_ps(c, there, row_of(p, sums, i, b_scale, start));
    }
}

/* Or not. */
static void finish_apart(const AmxIntegers *p, const Sums *sums, int64_t j, int64_t columns)
{
    const __m512 b_scale = _mm512_loadu_ps(p->b_scale + j);
    float row[REG] = {0};
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t l = 0; l < columns; l++)
            row[l] = p->from ? p->from[i * p->from_row + (j + l) * p->from_column] : 0;
        _mm512_storeu_ps(row, row_of(p, sums, i, b_scale, _mm512_loadu_ps(row)));
        for (int64_t l = 0; l < columns; l++)
            p->c[i * p->c_row + (j + l) * p->c_column] = row[l];
    }
}

/* The groups of A stay in the nearest cache while those of B pass by. */
void amx_integers(const AmxIntegers *p)
{
    Sums sums;
    const unsigned char *b = p->b;
    for (int64_t j = 0; j < p->n; j += REG, b += p->next) {
        int64_t columns = p->n - j < REG ? p->n - j : REG;
        sums_of_rows(p, b, &sums);
        if (p->c_column == 1 && (!p->from || p->from_column == 1))
            finish(p, &sums, j, (__mmask16)((1 << columns) - 1));
        else
            finish_apart(p, &sums, j, columns);
    }
}
