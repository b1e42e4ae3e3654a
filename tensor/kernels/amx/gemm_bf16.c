/* gemm_bf16.c: matrix products of short rows, in pieces (kernels/amx/tile_bf16.h).
 *
 *        B     [ panel | panel | .. ]  k x NC      Each thread has a rectangle of C. At most NC columns of B are split
 *     A        C                                   and copied once, and stay in the second cache, against MC rows of A
 *     [panel]  [      |      |    ]                after another: a panel of A in the nearest cache, while those of B
 *     [panel]  [      |      |    ]  MC x NC       pass by (kernels/amx/tile_bf16.c).
 *      MC x k
 *
 * Splitting a number takes as long as 25 to 50 of its products. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_bf16.h"

enum { KC = 64, MC = 8 * PANEL, NC = AMX_SHORT_COLUMNS };
_Static_assert((int)AMX_LONG <= (int)KC, "there is one block of steps only");

/* A thread's own. */
typedef struct {
    unsigned char a[MC / PANEL * (KC / STEPS * STEP_BYTES)];
    unsigned char b[NC / PANEL * (KC / STEPS * STEP_BYTES)];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* nc columns from j on against all rows from m0 to m1. False if a number is not finite. */
static bool columns_block(const Gemm *g, Panels *panels, int64_t m0, int64_t m1, int64_t j,
                          int64_t nc)
{
    int64_t next = amx_panel_bytes(g->k);
    AmxProduct p = {.n = nc,
                    .steps = g->k,
                    .a = panels->a,
                    .b = panels->b,
                    .a_next = next,
                    .b_next = next,
                    .c_row = g->c_row,
                    .c_column = g->c_column};
    bool finite =
        amx_pack(panels->b, next, SIDE_B, g->b + j * g->b_column, g->b_column, g->b_row, nc, g->k);
    for (int64_t i = m0; i < m1; i += MC) {
        p.m = m1 - i < MC ? m1 - i : MC;
        finite &= amx_pack(panels->a, next, SIDE_A, g->a + i * g->a_row, g->a_row, g->a_column, p.m,
                           g->k);
        p.c = g->c + i * g->c_row + j * g->c_column;
        if (g->add) {
            p.from = p.c;
            p.from_row = p.c_row;
            p.from_column = p.c_column;
        } else if (g->bias) {
            p.from = g->bias + j;
            p.from_column = 1;
        }
        amx_product(&p);
    }
    return finite;
}

/* One element as the processor's own arithmetic has it, up to the first NaN, which stays. */
static float plain_element(const Gemm *g, int64_t i, int64_t j)
{
    float sum = g->bias ? g->bias[j] : 0;
    for (int64_t l = 0; l < g->k && sum == sum; l++)
        sum += g->a[i * g->a_row + l * g->a_column] * g->b[l * g->b_row + j * g->b_column];
    return sum;
}

/* An infinity's pieces are it, NaN and NaN: what came of that is computed again. */
static void mend(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    for (int64_t i = m0; i < m1; i++)
        for (int64_t j = n0; j < n1; j++) {
            float *c = g->c + i * g->c_row + j * g->c_column;
            if (isfinite(*c))
                continue;
            float plain = plain_element(g, i, j);
            if (!isfinite(plain))
                *c = plain;
        }
}

/* Columns are cut into equal parts of at most NC. */
void amx_short_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    int64_t wide = tiles_in(tiles_in(n1 - n0, tiles_in(n1 - n0, NC)), PANEL) * PANEL;
    amx_begin();
    for (int64_t j = n0; j < n1; j += wide) {
        int64_t nc = n1 - j < wide ? n1 - j : wide;
        if (!columns_block(g, scratch_part(g->scratch), m0, m1, j, nc))
            mend(g, m0, m1, j, j + nc);
    }
    amx_end();
}
