/* multiply.c: the product of panels of bfloat16 slices, PANEL x PANEL elements of C at a time. A
 * unit (tiles.c, dot_products.c) sums their products. */
#include "tensor/kernels/amx/slices.h"

/* C = sum + from, of the rows and columns that exist: the unit has computed the others from packed
 * zeros. */
static void store_tile(const TileProduct *p, const TileOfC *t, const float *sum)
{
    const bool in_vectors = p->c_column == 1 && (!t->from || p->from_column == 1);
    for (int64_t i = 0; i < t->rows; i++) {
        const float *row = sum + i * PANEL, *from = t->from ? t->from + i * p->from_row : NULL;
        float *c = t->c + i * p->c_row;
        for (int64_t j = 0; in_vectors && j < t->columns; j += TILE_ROWS) {
            const int64_t left = t->columns - j;
            const __mmask16 there = left >= TILE_ROWS ? 0xffff : (__mmask16)((1 << left) - 1);
            __m512 v = _mm512_loadu_ps(row + j);
            if (from)
                v = _mm512_add_ps(v, _mm512_maskz_loadu_ps(there, from + j));
            _mm512_mask_storeu_ps(c + j, there, v);
        }
        for (int64_t j = 0; !in_vectors && j < t->columns; j++)
            c[j * p->c_column] = row[j] + (from ? from[j * p->from_column] : 0);
    }
}

/* A panel of A stays in the first-level cache while the panels of B are read. */
void UNIT_NAME(multiply)(const TileProduct *p)
{
    float sum[PANEL * PANEL] __attribute__((aligned(64)));
    TileOfC t = {.a = p->a};
    for (int64_t i = 0; i < p->m; i += PANEL, t.a += p->a_next) {
        t.rows = p->m - i < PANEL ? p->m - i : PANEL;
        t.b = p->b;
        for (int64_t j = 0; j < p->n; j += PANEL, t.b += p->b_next) {
            t.columns = p->n - j < PANEL ? p->n - j : PANEL;
            t.c = p->c + i * p->c_row + j * p->c_column;
            t.from = p->from ? p->from + i * p->from_row + j * p->from_column : NULL;
            UNIT_NAME(unit_sum)(sum, p, &t);
            store_tile(p, &t, sum);
        }
    }
}
