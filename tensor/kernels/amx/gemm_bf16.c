/* gemm_bf16.c: matrix products from bfloat16 slices (kernels/amx/tile_bf16.h): those of 24 to 55
 * steps, and the tiles of longer ones for which int8 slices are not exact enough
 * (kernels/amx/gemm_int8.c).
 *
 *       B     [ panel | panel | .. ]  KC x NC  Each thread owns a rectangle of C. KC steps of at most NC columns of B
 *    A        C                                are sliced and packed once; they stay in the second-level cache while
 *    [panel]  [      |      |    ]             blocks of MC rows of A are multiplied by them. A panel of A stays in
 *    [panel]  [      |      |    ]  MC x NC    the first-level cache while the panels of B are read
 *     MC x KC                                  (kernels/amx/tile_bf16.c).
 *
 * Slicing an element takes as long as 25 to 50 of its products. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_bf16.h"

enum { KC = BF16_MOST_STEPS, MC = 4 * PANEL, NC = BF16_COLUMNS };

/* The scratch memory of one thread. */
typedef struct {
    unsigned char a[MC / PANEL * (KC / BF16_STEPS * BF16_STEP_BYTES)];
    unsigned char b[NC / PANEL * (KC / BF16_STEPS * BF16_STEP_BYTES)];
    bool a_in_floats[MC / TILE_ROWS], b_in_floats[NC / TILE_ROWS];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES / 2,
               "KERNEL_SCRATCH_BYTES is too small for the panels and those of gemm_int8.c");

/* Columns j.. and steps l.. of the product, by one thread. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t j, nc, l, kc;
} Block;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* At most 16 x 16 elements of C in floats, for rows or columns whose slices lose too much. */
static void multiply_floats(const Bf16Product *p, const float *a, int64_t a_row, int64_t a_column,
                            const float *b, int64_t b_row, int64_t b_column)
{
    float sum[TILE_ROWS][TILE_ROWS] = {0}, column[TILE_ROWS] = {0};
    for (int64_t l = 0; l < p->steps; l++) {
        for (int64_t c = 0; c < p->n; c++)
            column[c] = b[l * b_row + c * b_column];
        for (int64_t r = 0; r < p->m; r++)
            for (int64_t c = 0; c < TILE_ROWS; c++)
                sum[r][c] += a[r * a_row + l * a_column] * column[c];
    }
    for (int64_t r = 0; r < p->m; r++)
        for (int64_t c = 0; c < p->n; c++) {
            float *to = &p->c[r * p->c_row + c * p->c_column];
            float from = p->from ? p->from[r * p->from_row + c * p->from_column] : 0;
            if (p->add)
                from = *to;
            *to = from + sum[r][c];
        }
}

/* The product `all` of the rows from i on, one tile of 16 x 16 elements after the other, where some
 * need floats. */
static void multiply_each_tile(const Block *b, int64_t i, const Bf16Product *all)
{
    const Gemm *g = b->g;
    for (int64_t r = 0; r < all->m; r += TILE_ROWS)
        for (int64_t c = 0; c < all->n; c += TILE_ROWS) {
            Bf16Product p = *all;
            p.m = smaller(all->m - r, TILE_ROWS);
            p.n = smaller(all->n - c, TILE_ROWS);
            p.c += r * p.c_row + c * p.c_column;
            if (p.from)
                p.from += r * p.from_row + c * p.from_column;
            if (b->panels->a_in_floats[r / TILE_ROWS] || b->panels->b_in_floats[c / TILE_ROWS]) {
                multiply_floats(&p, g->a + (i + r) * g->a_row + b->l * g->a_column, g->a_row,
                                g->a_column, g->b + b->l * g->b_row + (b->j + c) * g->b_column,
                                g->b_row, g->b_column);
                continue;
            }
            p.a += r / PANEL * p.a_next + r % PANEL / TILE_ROWS * TILE_BYTES;
            p.b += c / PANEL * p.b_next + c % PANEL / TILE_ROWS * TILE_BYTES;
            amx_multiply_bf16(&p);
        }
}

/* The block's columns and steps against all rows from m0 to m1. */
static void columns_block(const Block *b, int64_t m0, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *panels = b->panels;
    int64_t next = bf16_panel_bytes(b->kc);
    const bool add = g->add || b->l > 0;
    Bf16Product p = {.n = b->nc,
                     .steps = b->kc,
                     .a = panels->a,
                     .b = panels->b,
                     .a_next = next,
                     .b_next = next,
                     .c_row = g->c_row,
                     .c_column = g->c_column,
                     .add = add,
                     .from = !add && g->bias ? g->bias + b->j : NULL,
                     .from_column = 1};
    bool in_floats =
        amx_pack_bf16(panels->b, next, SIDE_B, g->b + b->j * g->b_column + b->l * g->b_row,
                      g->b_column, g->b_row, b->nc, b->kc, panels->b_in_floats);
    for (int64_t i = m0; i < m1; i += MC) {
        p.m = smaller(m1 - i, MC);
        bool a_in_floats =
            amx_pack_bf16(panels->a, next, SIDE_A, g->a + i * g->a_row + b->l * g->a_column,
                          g->a_row, g->a_column, p.m, b->kc, panels->a_in_floats);
        p.c = g->c + i * g->c_row + b->j * g->c_column;
        if (in_floats || a_in_floats)
            multiply_each_tile(b, i, &p);
        else
            amx_multiply_bf16(&p);
    }
}

/* The steps are divided into parts of KC, the columns into equal parts of at most NC. */
void amx_bf16_product(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Block b = {.g = g, .panels = scratch_part(g->scratch)};
    int64_t wide = divide_up(divide_up(n1 - n0, divide_up(n1 - n0, NC)), PANEL) * PANEL;
    for (b.j = n0; b.j < n1; b.j += b.nc) {
        b.nc = smaller(n1 - b.j, wide);
        for (b.l = 0; b.l < g->k; b.l += b.kc) {
            b.kc = smaller(g->k - b.l, KC);
            columns_block(&b, m0, m1);
        }
    }
}

void amx_bf16_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    amx_configure();
    amx_bf16_product(g, m0, m1, n0, n1);
    amx_release();
}
