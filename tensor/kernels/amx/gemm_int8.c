/* gemm_int8.c: matrix products of long rows, as integers (kernels/amx/tile_int8.h).
 *
 *        B     [16|16|16|16| .. ]  KC x NC     Each thread has a rectangle of C. KC steps of at most NC columns of B
 *     A        C                               become digits once, and stay in the second cache, against one panel of
 *     [panel]  [  |  |  |  |    ]              A after another: 32 rows in the nearest cache while groups of 16
 *     [panel]  [  |  |  |  |    ]              columns pass by (kernels/amx/tile_int8.c).
 *     ..
 *
 * While the tile unit multiplies a panel of A, the processor's other units make digits of the next one: a part of a
 * register or more after each step of a tile. So only B's digits, and those of the first panel of A, take all of their
 * time. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_int8.h"

enum { KC = 384, NC = AMX_LONG_COLUMNS };

/* A thread's own: of A the panel that is multiplied, and the next. */
typedef struct {
    unsigned char a[2][2 * (KC / DIGIT_STEPS) * DIGIT_BYTES];
    unsigned char b[NC / REG * (KC / DIGIT_STEPS) * DIGIT_BYTES];
    float a_scale[2][PANEL], b_scale[NC];
    AmxDigits next;
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* Columns j.. and steps l.. of the product, by one thread. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t j, nc, l, kc;
} Block;

/* The panel of A whose first row is i, of rows up to m1. */
static void begin_panel(const Block *b, int which, int64_t i, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *p = b->panels;
    amx_digits_begin(&p->next, p->a[which], amx_group_bytes(b->kc), SIDE_A, p->a_scale[which],
                     g->a + i * g->a_row + b->l * g->a_column, g->a_row, g->a_column,
                     m1 - i < PANEL ? m1 - i : PANEL, b->kc);
}

/* What rows and columns with NaN, infinities or numbers that are too large give, as the processor's own arithmetic has
 * it, up to the first NaN: they counted as zeros before. */
static void add_plainly(const Block *b, int64_t i, int64_t rows, const float *a_scale)
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
    AmxDigits *next = &panels->next;
    AmxIntegers p = {.n = b->nc,
                     .steps = b->kc,
                     .b = panels->b,
                     .next = amx_group_bytes(b->kc),
                     .b_scale = panels->b_scale,
                     .c_row = g->c_row,
                     .c_column = g->c_column,
                     .meanwhile = next};
    amx_digits_begin(next, panels->b, p.next, SIDE_B, panels->b_scale,
                     g->b + b->l * g->b_row + b->j * g->b_column, g->b_column, g->b_row, b->nc,
                     b->kc);
    amx_digits_some(next, amx_digits_parts(next));
    bool b_tame = next->tame;
    begin_panel(b, 0, m0, m1);
    for (int64_t i = m0, which = 0; i < m1; i += PANEL, which = !which) {
        amx_digits_some(next, INT64_MAX);
        bool tame = b_tame && next->tame;
        begin_panel(b, !which, i + PANEL, m1);
        p.some =
            tiles_in(amx_digits_parts(next), tiles_in(b->nc, REG) * tiles_in(b->kc, DIGIT_STEPS));
        p.m = m1 - i < PANEL ? m1 - i : PANEL;
        p.a = panels->a[which];
        p.a_scale = panels->a_scale[which];
        p.c = g->c + i * g->c_row + b->j * g->c_column;
        if (g->add || b->l > 0) {
            p.from = p.c;
            p.from_row = p.c_row;
            p.from_column = p.c_column;
        } else if (g->bias) {
            p.from = g->bias + b->j;
            p.from_column = 1;
        }
        amx_integers(&p);
        if (!tame)
            add_plainly(b, i, p.m, p.a_scale);
    }
}

/* Steps are cut into equal parts of at most KC, columns into those of at most NC. */
void amx_long_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Block b = {.g = g, .panels = scratch_part(g->scratch)};
    int64_t steps = tiles_in(tiles_in(g->k, tiles_in(g->k, KC)), DIGIT_STEPS) * DIGIT_STEPS;
    int64_t wide = tiles_in(tiles_in(n1 - n0, tiles_in(n1 - n0, NC)), REG) * REG;
    amx_begin();
    for (b.j = n0; b.j < n1; b.j += b.nc) {
        b.nc = n1 - b.j < wide ? n1 - b.j : wide;
        for (b.l = 0; b.l < g->k; b.l += b.kc) {
            b.kc = g->k - b.l < steps ? g->k - b.l : steps;
            columns_block(&b, m0, m1);
        }
    }
    amx_end();
}
