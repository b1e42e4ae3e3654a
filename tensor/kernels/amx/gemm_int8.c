/* gemm_int8.c: matrix products of 56 steps or more, from int8 slices (kernels/amx/tile_int8.h).
 *
 *        B     [16|16|16|16| .. ]  KC x NC     Each thread owns a rectangle of C. KC steps of at most NC columns of B are
 *     A        C                               sliced once and stay in the second-level cache while one panel of A after
 *     [panel]  [  |  |  |  |    ]              another is multiplied by them: 32 rows stay in the first-level cache while
 *     [panel]  [  |  |  |  |    ]              groups of 16 columns are read (kernels/amx/tile_int8.c).
 *     ..
 *
 * While the tile unit multiplies a panel of A, the processor's vector units slice the next one: packing is interleaved
 * with the tile instructions, one part or more after each step of a tile. Only slicing B and the first panel of A takes
 * time of its own. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_int8.h"

enum { KC = 384, NC = INT8_COLUMNS };

/* The scratch memory of one thread: the panel of A that is multiplied, and the next one. */
typedef struct {
    unsigned char a[2][2 * (KC / INT8_STEPS) * INT8_GROUP_BYTES];
    unsigned char b[NC / TILE_ROWS * (KC / INT8_STEPS) * INT8_GROUP_BYTES];
    float a_scale[2][PANEL], b_scale[NC];
    Int8Packing next;
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* Columns j.. and steps l.. of the product, by one thread. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t j, nc, l, kc;
} Block;

/* Begins the panel of A whose first row is i, of the rows up to m1. */
static void begin_panel(const Block *b, int current, int64_t i, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *p = b->panels;
    int8_packing_begin(&p->next, p->a[current], int8_group_bytes(b->kc), SIDE_A,
                       p->a_scale[current], g->a + i * g->a_row + b->l * g->a_column, g->a_row,
                       g->a_column, m1 - i < PANEL ? m1 - i : PANEL, b->kc);
}

/* Adds the products of the rows and columns that are out of range (NaN, infinities, 2^100 or more) in float arithmetic,
 * up to the first NaN: the tile unit took them for zeros. */
static void add_float_products(const Block *b, int64_t i, int64_t rows, const float *a_scale)
{
    const Gemm *g = b->g;
    for (int64_t r = i; r < i + rows; r++)
        for (int64_t j = 0; j < b->nc; j++) {
            if (a_scale[r - i] != 0 && b->panels->b_scale[j] != 0)
                continue;
            float sum = 0;
            for (int64_t l = b->l; l < b->l + b->kc && sum == sum; l++)
                sum += g->a[r * g->a_row + l * g->a_column] *
                       g->b[l * g->b_row + (b->j + j) * g->b_column];
            g->c[r * g->c_row + (b->j + j) * g->c_column] += sum;
        }
}

/* The block's columns and steps against all rows from m0 to m1. */
static void columns_block(const Block *b, int64_t m0, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *panels = b->panels;
    Int8Packing *next = &panels->next;
    Int8Product p = {.n = b->nc,
                     .steps = b->kc,
                     .b = panels->b,
                     .next = int8_group_bytes(b->kc),
                     .b_scale = panels->b_scale,
                     .c_row = g->c_row,
                     .c_column = g->c_column,
                     .overlapped = next};
    int8_packing_begin(next, panels->b, p.next, SIDE_B, panels->b_scale,
                       g->b + b->l * g->b_row + b->j * g->b_column, g->b_column, g->b_row, b->nc,
                       b->kc);
    int8_packing_advance(next, int8_packing_parts(next));
    bool b_in_range = next->in_range;
    begin_panel(b, 0, m0, m1);
    for (int64_t i = m0, current = 0; i < m1; i += PANEL, current = !current) {
        int8_packing_advance(next, INT64_MAX);
        bool in_range = b_in_range && next->in_range;
        begin_panel(b, !current, i + PANEL, m1);
        p.parts_per_step = divide_up(int8_packing_parts(next),
                                     divide_up(b->nc, TILE_ROWS) * divide_up(b->kc, INT8_STEPS));
        p.m = m1 - i < PANEL ? m1 - i : PANEL;
        p.a = panels->a[current];
        p.a_scale = panels->a_scale[current];
        p.c = g->c + i * g->c_row + b->j * g->c_column;
        if (g->add || b->l > 0) {
            p.from = p.c;
            p.from_row = p.c_row;
            p.from_column = p.c_column;
        } else if (g->bias) {
            p.from = g->bias + b->j;
            p.from_column = 1;
        }
        amx_multiply_int8(&p);
        if (!in_range)
            add_float_products(b, i, p.m, p.a_scale);
    }
}

/* The steps are divided into equal parts of at most KC, the columns into equal parts of at most NC. */
void amx_int8_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Block b = {.g = g, .panels = scratch_part(g->scratch)};
    int64_t steps = divide_up(divide_up(g->k, divide_up(g->k, KC)), INT8_STEPS) * INT8_STEPS;
    int64_t wide = divide_up(divide_up(n1 - n0, divide_up(n1 - n0, NC)), TILE_ROWS) * TILE_ROWS;
    amx_configure();
    for (b.j = n0; b.j < n1; b.j += b.nc) {
        b.nc = n1 - b.j < wide ? n1 - b.j : wide;
        for (b.l = 0; b.l < g->k; b.l += b.kc) {
            b.kc = g->k - b.l < steps ? g->k - b.l : steps;
            columns_block(&b, m0, m1);
        }
    }
    amx_release();
}
