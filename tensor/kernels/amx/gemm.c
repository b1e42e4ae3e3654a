/* gemm.c: matrix products in the tile unit, from bfloat16 slices (kernels/amx/slices.h explains the
 * method).
 *
 *   gemm.c         matrix products (this file): their division into blocks, and what has no slices
 *   attention.c    the products of a tile of attention
 *   pack.c         slicing and packing of the operands
 *   multiply.c     products of packed panels in the tile unit
 *
 *        B     [ panel | panel | .. ]  KC x NC
 *     A        C
 *     [panel]  [      |      |    ]
 *     [panel]  [      |      |    ]  MC x NC
 *      MC x KC
 *
 * Each thread owns a rectangle of C. KC steps of at most NC columns of B are sliced and packed
 * once; they stay in the second-level cache while blocks of MC rows of A are multiplied by them. A
 * panel of A stays in the first-level cache while the panels of B are read
 * (kernels/amx/multiply.c).
 *
 * Smaller products, and products with few rows or columns, are computed with AVX-512. */
#include "tensor/kernels/amx/attention.h"
#include "tensor/kernels/amx/slices.h"
#include "tensor/kernels/simd/gemm.h"

enum { KC = PACKED_STEPS, MC = 4 * PANEL, NC = 24 * PANEL };

/* Of an element of the product; one slice of SLICES times as many steps has the bytes of SLICES. */
static int slices_of(const Gemm *g)
{
    return g->bf16 ? 1 : SLICES;
}

static int64_t steps_at_once(const Gemm *g)
{
    return KC * SLICES / slices_of(g);
}

/* The scratch memory of one thread. */
typedef struct {
    unsigned char a[MC / PANEL * (KC / TILE_STEPS) * 2 * SLICES * TILE_BYTES];
    unsigned char b[NC / PANEL * (KC / TILE_STEPS) * 2 * SLICES * TILE_BYTES];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool has_slices(float x)
{
    return fabsf(x) < NO_SLICES;
}

/* Adds the products with what has no slices in either factor, in floats: a row or a column of C for
 * each such element. What meets none keeps its bits. The product of two of them is no finite number
 * and is added twice, which changes nothing. */
static void add_others(const Factor *a, const Factor *b, float *c, int64_t c_row, int64_t c_column)
{
    for (int64_t l = 0; l < a->steps; l++) {
        const float *of_a = a->x + l * a->step, *of_b = b->x + l * b->step;
        for (int64_t i = 0; i < a->rows; i++)
            for (int64_t j = 0; !has_slices(of_a[i * a->row]) && j < b->rows; j++)
                c[i * c_row + j * c_column] += of_a[i * a->row] * of_b[j * b->row];
        for (int64_t j = 0; j < b->rows; j++)
            for (int64_t i = 0; !has_slices(of_b[j * b->row]) && i < a->rows; i++)
                c[i * c_row + j * c_column] += of_a[i * a->row] * of_b[j * b->row];
    }
}

/* Columns j.. and steps l.. of the product, by one thread, against all rows from m0 to m1. The
 * first steps start from the bias or, where the product is added, from C; later ones from the sums
 * so far. */
static void columns_block(const Gemm *g, const Factor *b, int64_t j, int64_t l, int64_t m0,
                          int64_t m1)
{
    Panels *panels = scratch_part(g->scratch);
    const int slices = slices_of(g);
    const bool add = g->add || l > 0, b_sliced = UNIT_NAME(pack)(panels->b, SIDE_B, b, slices);
    TileProduct p = {.n = b->rows,
                     .steps = b->steps,
                     .slices = slices,
                     .a = panels->a,
                     .b = panels->b,
                     .a_next = panel_bytes(b->steps, slices),
                     .b_next = panel_bytes(b->steps, slices),
                     .c_row = g->c_row,
                     .c_column = g->c_column,
                     .from_row = add ? g->c_row : 0,
                     .from_column = add ? g->c_column : 1};
    for (int64_t i = m0; i < m1; i += MC) {
        const Factor a = {g->a + i * g->a_row + l * g->a_column, g->a_row, g->a_column,
                          smaller(m1 - i, MC), b->steps};
        const bool a_sliced = UNIT_NAME(pack)(panels->a, SIDE_A, &a, slices);
        p.m = a.rows;
        p.c = g->c + i * g->c_row + j * g->c_column;
        p.from = add ? p.c : g->bias ? g->bias + j : NULL;
        UNIT_NAME(multiply)(&p);
        if (slices == SLICES && (!a_sliced || !b_sliced))
            add_others(&a, b, p.c, g->c_row, g->c_column);
    }
}

/* The rows m0..m1-1 and columns n0..n1-1 of C. The steps are divided into parts of KC, whatever the
 * rectangle, so that an element has one order of additions; the columns into equal parts of at most
 * NC. */
static void rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const int64_t wide = divide_up(divide_up(n1 - n0, divide_up(n1 - n0, NC)), PANEL) * PANEL;
    const int64_t kc = steps_at_once(g);
    UNIT_NAME(unit_begin)();
    for (int64_t j = n0; j < n1; j += wide)
        for (int64_t l = 0; l < g->k; l += kc) {
            const Factor b = {g->b + j * g->b_column + l * g->b_row, g->b_column, g->b_row,
                              smaller(n1 - j, wide), smaller(g->k - l, kc)};
            columns_block(g, &b, j, l, m0, m1);
        }
    UNIT_NAME(unit_end)();
}

/* The kernel that AVX-512 entered into the table, for products that the tile unit does not speed
 * up. It is set when this set is filled. */
static void (*without_unit)(const Gemm *g);

/* 24 (m + n) <= m n weighs the slicing of m k + k n elements against the m n k products. The factor
 * was measured with int8 slices (a Xeon with AMX, gcc 12, 2026-11-21) and has not been measured
 * again. The counted instructions of tests/bench/README.md put it near 33 for three bfloat16
 * slices: in bmm_64x64x32x64 a multiply-add takes 10.1 ps with AVX-512 and 4.5 ps in the tile unit,
 * and everything else 187 ps for each sliced element, as long as 33 multiply-adds save; that row is
 * estimated at 1.02 of AVX-512's time. In gemm_256, where AVX-512 is faster, it is 48. Products of
 * fewer than 24 steps took longer than with AVX-512. With one slice AVX-512 has to round the
 * elements, too, so that smaller products pay. */
static bool unit_pays(const Gemm *g)
{
    const int64_t share = g->bf16 ? 4 : 24;
    return UNIT_NAME(unit_multiplies)(slices_of(g)) && g->m > 0 && g->k >= share &&
           share * (g->m + g->n) <= g->m * g->n;
}

/* The kernel `gemm`. The cost of packing an element, 28 multiply-adds, is an estimate for
 * grid_choose. */
static void gemm(const Gemm *g)
{
    static const GemmMethod method = {rectangle,          .height = TILE_ROWS,
                                      .width = TILE_ROWS, .block_columns = NC,
                                      .pack_cost = 28,    .products_per_addition = 40};
    Gemm t = with_contiguous_rows(g);
    if (t.scratch.parts > 0 && unit_pays(&t))
        gemm_parallel(&t, &method);
    else
        without_unit(g);
}

void kernels_fill_avx512(Kernels *k);
void UNIT_NAME(kernels_fill)(Kernels *k);

/* All kernels but matrix products and attention are those of AVX-512. */
void UNIT_NAME(kernels_fill)(Kernels *k)
{
    kernels_fill_avx512(k);
    without_unit = k->gemm;
    k->gemm = gemm;
    UNIT_NAME(fill_attention)(k);
}
