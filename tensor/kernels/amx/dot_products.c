/* dot_products.c: AVX512-BF16 as a unit: VDPBF16PS multiplies 16 pairs of bfloat16 and adds both
 * products to a float in each lane. It takes one slice; with three, six products, AVX-512's
 * multiply-adds of floats are faster.
 *
 *      b, step l:     | l, l + 16 | l, l + 16 | ..      16 columns, two vectors
 *      a, row i:      | l, l + 16 |                     one pair, in every lane
 *
 * The panels are those of the tile unit. ROWS x 32 sums are held in registers. */
#include "tensor/kernels/amx/slices.h"

enum { ROWS = 8 };
_Static_assert(TILE_ROWS % ROWS == 0, "the rows of a block lie in one tile");

void UNIT_NAME(unit_begin)(void) {}
void UNIT_NAME(unit_end)(void) {}

bool UNIT_NAME(unit_multiplies)(int slices)
{
    return slices == 1;
}

/* Prefetches two rows of the block in C, which is written after the last step. */
static inline void prefetch_rows(const TileProduct *p, const float *c, int64_t row)
{
    for (int64_t i = row; i < row + 2 && i < ROWS; i++) {
        __builtin_prefetch(c + i * p->c_row, 1);
        __builtin_prefetch(c + i * p->c_row + TILE_ROWS, 1);
    }
}

/* The sums of the rows `first` to first + ROWS - 1 of the tile. One or two vectors of columns: a
 * constant at every call. */
static inline __attribute__((always_inline)) void
block(int vectors, float *sum, const TileProduct *p, const TileOfC *t, int64_t first)
{
    const unsigned char *b = t->b;
    const unsigned char *a = t->a + first / TILE_ROWS * TILE_BYTES + first % TILE_ROWS * 64;
    __m512 acc[ROWS][2];
    for (int i = 0; i < ROWS; i++)
        acc[i][0] = acc[i][1] = _mm512_setzero_ps();
    for (int64_t l = 0; l < p->steps; l += TILE_STEPS, a += 2 * TILE_BYTES, b += 2 * TILE_BYTES) {
        prefetch_rows(p, t->c + first * p->c_row, l / TILE_STEPS * 2);
        for (int64_t lane = 0; lane < 64; lane += 4) {
            __m512bh of_b[2];
            for (int v = 0; v < vectors; v++)
                of_b[v] = (__m512bh)_mm512_load_si512(b + v * TILE_BYTES + lane * TILE_ROWS);
#pragma GCC unroll 8
            for (int i = 0; i < ROWS; i++) {
                const __m512bh pair =
                    (__m512bh)_mm512_set1_epi32(*(const int32_t *)(a + i * 64 + lane));
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    acc[i][v] = _mm512_dpbf16_ps(acc[i][v], pair, of_b[v]);
            }
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int v = 0; v < vectors; v++)
            _mm512_store_ps(sum + (first + i) * PANEL + v * TILE_ROWS, acc[i][v]);
}

void UNIT_NAME(unit_sum)(float *sum, const TileProduct *p, const TileOfC *t)
{
    for (int64_t first = 0; first < t->rows; first += ROWS)
        if (t->columns > TILE_ROWS)
            block(2, sum, p, t, first);
        else
            block(1, sum, p, t, first);
}
