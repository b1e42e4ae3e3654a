/* kernels_amx_gemm.c: matrix products of any size and any strides, in pieces (kernels_amx.h).
 *
 *        B     [ panel | panel | .. ]  KC x NC     Each thread has a rectangle of C. KC steps of at most NC columns of
 *     A        C                                   B are split and copied once, and stay in the second cache, against
 *     [panel]  [      |      |    ]                one panel of A after another, each in the nearest cache while
 *     [panel]  [      |      |    ]                those of B pass by (kernels_amx_product.c).
 *     ..
 *
 * While the tile unit multiplies a panel of A, the processor's other units split the next one: a quarter of a register
 * or more after each step of a tile. So only B's splitting, and that of the first panel of A, takes all of its time:
 * as long as 25 to 50 products for each number. Small matrices, and few rows, are left to AVX-512.
 *
 * By two threads 512 x 512 x 512 takes 0.49 ms (548 GFLOP/s), 2048 x 2048 x 2048 29.1 (590); AVX-512 0.82 and 53.5; the
 * processor's multiply-adds alone reach 471 GFLOP/s: a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels_amx.h"
#include "tensor/kernels_fast_gemm.h"

enum { KC = 256, NC = 18 * PANEL };

/* A thread's own: of A the panel that is multiplied, and the next. */
typedef struct {
    unsigned char a[2][KC / STEPS * STEP_BYTES];
    unsigned char b[NC / PANEL * (KC / STEPS * STEP_BYTES)];
    AmxPacking next;
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_ROOM, "KERNEL_ROOM is too small for the panels");

/* The panel of A whose first row is i, steps l.. */
static void begin_panel(const Gemm *g, Panels *panels, int which, int64_t i, int64_t rows,
                        int64_t l, int64_t kc)
{
    amx_pack_begin(&panels->next, panels->a[which], 0, SIDE_A,
                   g->a + i * g->a_row + l * g->a_column, g->a_row, g->a_column,
                   rows < PANEL ? rows : PANEL, kc);
}

/* The block's columns j.. and steps l.. against all rows from m0 to m1. False if a number is not finite. */
static bool columns_block(const Gemm *g, Panels *panels, int64_t m0, int64_t m1, int64_t j,
                          int64_t nc, int64_t l, int64_t kc)
{
    AmxProduct p = {.n = nc,
                    .steps = kc,
                    .b = panels->b,
                    .b_next = amx_panel_bytes(kc),
                    .c_row = g->c_row,
                    .c_column = g->c_column,
                    .meanwhile = &panels->next};
    bool finite = amx_pack(panels->b, p.b_next, SIDE_B, g->b + l * g->b_row + j * g->b_column,
                           g->b_column, g->b_row, nc, kc);
    begin_panel(g, panels, 0, m0, m1 - m0, l, kc);
    for (int64_t i = m0, which = 0; i < m1; i += PANEL, which = !which) {
        amx_pack_some(&panels->next, INT64_MAX);
        finite &= amx_pack_tame(&panels->next);
        begin_panel(g, panels, !which, i + PANEL, m1 - i - PANEL, l, kc);
        p.some = tiles_in(amx_pack_quarters(&panels->next), amx_panels(nc) * tiles_in(kc, STEPS));
        p.m = m1 - i < PANEL ? m1 - i : PANEL;
        p.a = panels->a[which];
        p.c = g->c + i * g->c_row + j * g->c_column;
        if (g->add || l > 0) {
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

/* Steps are cut into equal parts of at most KC, columns into those of at most NC. */
static void rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Panels *panels = room_part(g->room);
    int64_t steps = tiles_in(tiles_in(g->k, tiles_in(g->k, KC)), STEPS) * STEPS;
    int64_t wide = tiles_in(tiles_in(n1 - n0, tiles_in(n1 - n0, NC)), PANEL) * PANEL;
    amx_begin();
    for (int64_t j = n0; j < n1; j += wide) {
        int64_t nc = n1 - j < wide ? n1 - j : wide;
        bool finite = true;
        for (int64_t l = 0; l < g->k; l += steps)
            finite &=
                columns_block(g, panels, m0, m1, j, nc, l, g->k - l < steps ? g->k - l : steps);
        if (!finite)
            mend(g, m0, m1, j, j + nc);
    }
    amx_end();
}

/* ---- which products ---------------------------------------------------------------------------------------- */

static void (*without_tiles)(const Gemm *g);

/* By one thread, products of 48 x 48 and of 32 x 96 take 0.7 to 1.1 of AVX-512's time, whatever their layout, 512 x 512
 * half; fewer than 24 steps, more than once its time (a Xeon with AMX, gcc 12, 2026-11-21). */
static bool pays(const Gemm *g)
{
    return g->m > 0 && g->k >= 24 && 24 * (g->m + g->n) <= g->m * g->n;
}

static void gemm(const Gemm *g)
{
    static const Way way = {rectangle,   .height = REG, .width = REG,
                            .block = NC, .copy = 28,    .speed = 40};
    Gemm t = along_rows(g);
    if (t.room.parts > 0 && pays(&t))
        share_out(&t, &way);
    else
        without_tiles(g);
}

void kernels_fill_avx512(Kernels *k);
void kernels_fill_amx(Kernels *k);

/* All kernels but products and attention are those of AVX-512. */
void kernels_fill_amx(Kernels *k)
{
    kernels_fill_avx512(k);
    without_tiles = k->gemm;
    k->gemm = gemm;
    FAST(kernels_fill_attention)(k);
}
