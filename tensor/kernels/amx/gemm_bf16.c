/* gemm_bf16.c: matrix products of 24 to 55 steps, from bfloat16 slices (kernels/amx/tile_bf16.h).
 *
 *        B     [ panel | panel | .. ]  k x NC      Each thread owns a rectangle of C. At most NC columns of B are sliced
 *     A        C                                   and packed once; they stay in the second-level cache while blocks of
 *     [panel]  [      |      |    ]                MC rows of A are multiplied by them. A panel of A stays in the
 *     [panel]  [      |      |    ]  MC x NC       first-level cache while the panels of B are read
 *      MC x k                                      (kernels/amx/tile_bf16.c).
 *
 * Slicing an element takes as long as 25 to 50 of its products. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_bf16.h"

enum { KC = 64, MC = 8 * PANEL, NC = BF16_COLUMNS };
_Static_assert((int)INT8_MIN_STEPS <= (int)KC, "there is one block of steps only");

/* The scratch memory of one thread. */
typedef struct {
    unsigned char a[MC / PANEL * (KC / BF16_STEPS * BF16_STEP_BYTES)];
    unsigned char b[NC / PANEL * (KC / BF16_STEPS * BF16_STEP_BYTES)];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* nc columns from j on against all rows from m0 to m1. False if an element is not finite. All
 * steps of the sum are one block: k < INT8_MIN_STEPS <= KC. */
static bool columns_block(const Gemm *g, Panels *panels, int64_t m0, int64_t m1, int64_t j,
                          int64_t nc)
{
    int64_t next = bf16_panel_bytes(g->k);
    Bf16Product p = {.n = nc,
                     .steps = g->k,
                     .a = panels->a,
                     .b = panels->b,
                     .a_next = next,
                     .b_next = next,
                     .c_row = g->c_row,
                     .c_column = g->c_column};
    bool finite = amx_pack_bf16(panels->b, next, SIDE_B, g->b + j * g->b_column, g->b_column,
                                g->b_row, nc, g->k);
    for (int64_t i = m0; i < m1; i += MC) {
        p.m = m1 - i < MC ? m1 - i : MC;
        finite &= amx_pack_bf16(panels->a, next, SIDE_A, g->a + i * g->a_row, g->a_row, g->a_column,
                                p.m, g->k);
        p.c = g->c + i * g->c_row + j * g->c_column;
        if (g->add) {
            p.from = p.c;
            p.from_row = p.c_row;
            p.from_column = p.c_column;
        } else if (g->bias) {
            p.from = g->bias + j;
            p.from_column = 1;
        }
        amx_multiply_bf16(&p);
    }
    return finite;
}

/* One element in float arithmetic, up to the first NaN, which stays. */
static float float_element(const Gemm *g, int64_t i, int64_t j)
{
    float sum = g->bias ? g->bias[j] : 0;
    for (int64_t l = 0; l < g->k && sum == sum; l++)
        sum += g->a[i * g->a_row + l * g->a_column] * g->b[l * g->b_row + j * g->b_column];
    return sum;
}

/* The slices of an infinity are an infinity, NaN and NaN: results that are not finite are computed
 * again. They are replaced only where float arithmetic gives no finite result either. */
static void recompute_non_finite(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    for (int64_t i = m0; i < m1; i++)
        for (int64_t j = n0; j < n1; j++) {
            float *c = g->c + i * g->c_row + j * g->c_column;
            if (isfinite(*c))
                continue;
            float in_floats = float_element(g, i, j);
            if (!isfinite(in_floats))
                *c = in_floats;
        }
}

/* The columns are divided into equal parts of at most NC. */
void amx_bf16_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    int64_t wide = divide_up(divide_up(n1 - n0, divide_up(n1 - n0, NC)), PANEL) * PANEL;
    amx_configure();
    for (int64_t j = n0; j < n1; j += wide) {
        int64_t nc = n1 - j < wide ? n1 - j : wide;
        if (!columns_block(g, scratch_part(g->scratch), m0, m1, j, nc))
            recompute_non_finite(g, m0, m1, j, j + nc);
    }
    amx_release();
}
