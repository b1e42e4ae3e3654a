/* kernels_fast.c: the same table, fast. Compiled once for each instruction set (ISA names it).
 *
 * Matrix products, after Goto and van de Geijn ("Anatomy of high-performance matrix multiplication",
 * 2008). A block of B (KC x NC) and a block of A (MC x KC) are copied into panels, so that the innermost
 * loop reads memory in order; the micro-kernel keeps a tile of C in registers:
 *
 *                 <----- NR = NV vectors ----->
 *     a_0 [ ]  x  [ b_0 | b_1 ]   ->  acc[0][0] acc[0][1]        for each of KC steps:
 *     a_1 [ ]                         acc[1][0] acc[1][1]        MR numbers of A times NV vectors
 *     ...                             ...                        of B, into MR * NV registers
 *     a_MR-1                          acc[MR-1][..]
 *
 * Panels are padded with zeros at the edges, so every tile runs the same instructions: an element of C
 * has one order of additions wherever it stands and however many threads there are.
 *
 * The other kernels are in kernels_fast_elements.c, kernels_fast_functions.c, kernels_fast_rows.c and
 * kernels_fast_attention.c. */
#include "tensor/kernels_fast.h"

#if defined(__AVX512F__)
enum { MR = 14, NV = 2 };
#elif defined(__aarch64__)
enum { MR = 8, NV = 3 };
#else
enum { MR = 6, NV = 2 };
#endif
enum { NR = NV * W, KC = 256, MC = 12 * MR, NC = 16 * NR < 256 ? 256 / NR * NR : 16 * NR };

typedef struct {
    float a[MC * KC], b[KC * NC];
} __attribute__((aligned(64))) Panels;

static _Thread_local Panels panels;

/* rows x kc of a matrix into panels of `width` rows, each stored column after column, padded with 0:
 * panel p, step l, row r is out[(p * kc + l) * width + r]. */
static void pack(float *out, const float *x, int64_t row, int64_t column, int64_t rows, int64_t kc,
                 int width)
{
    for (int64_t p = 0; p < rows; p += width) {
        int64_t full = rows - p < width ? rows - p : width;
        for (int64_t l = 0; l < kc; l++, out += width) {
            const float *from = x + p * row + l * column;
            for (int64_t r = 0; r < full; r++)
                out[r] = from[r * row];
            for (int64_t r = full; r < width; r++)
                out[r] = 0;
        }
    }
}

/* tile (MR, NR) = sum over kc steps of a column of A times a row of B; `c` has rows of `stride`. */
static inline void micro_kernel(const float *a, const float *b, int64_t kc, float *c,
                                int64_t stride, bool add)
{
    Vector acc[MR][NV] = {0};
    for (int64_t l = 0; l < kc; l++, a += MR, b += NR) {
        Vector bv[NV];
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++)
            bv[v] = *(const Stored *)(b + v * W);
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++)
#pragma GCC unroll 4
            for (int v = 0; v < NV; v++)
                acc[i][v] += a[i] * bv[v];
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 4
        for (int v = 0; v < NV; v++) {
            Stored *to = (Stored *)(c + i * stride + v * W);
            if (add)
                acc[i][v] += *to;
            *to = acc[i][v];
        }
}

/* One packed block of A times one packed block of B, tile by tile. A tile that hangs over the edge, or
 * a C whose rows are not contiguous, goes through a buffer. */
static void macro_kernel(const Gemm *g, int64_t i0, int64_t mc, int64_t j0, int64_t nc, int64_t kc,
                         bool add)
{
    float tile[MR * NR] __attribute__((aligned(64)));
    for (int64_t j = 0; j < nc; j += NR)
        for (int64_t i = 0; i < mc; i += MR) {
            const float *a = panels.a + i * kc, *b = panels.b + j * kc;
            float *c = g->c + (i0 + i) * g->c_row + (j0 + j) * g->c_column;
            int64_t rows = mc - i < MR ? mc - i : MR, columns = nc - j < NR ? nc - j : NR;
            if (rows == MR && columns == NR && g->c_column == 1) {
                micro_kernel(a, b, kc, c, g->c_row, add);
                continue;
            }
            micro_kernel(a, b, kc, tile, NR, false);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t s = 0; s < columns; s++) {
                    float *to = c + r * g->c_row + s * g->c_column;
                    *to = add ? *to + tile[r * NR + s] : tile[r * NR + s];
                }
        }
}

/* The rows m0..m1-1 and columns n0..n1-1 of C. */
static void gemm_part(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    for (int64_t j = n0; j < n1; j += NC) {
        int64_t nc = n1 - j < NC ? n1 - j : NC;
        for (int64_t l = 0; l < g->k; l += KC) {
            int64_t kc = g->k - l < KC ? g->k - l : KC;
            pack(panels.b, g->b + l * g->b_row + j * g->b_column, g->b_column, g->b_row, nc, kc,
                 NR);
            for (int64_t i = m0; i < m1; i += MC) {
                int64_t mc = m1 - i < MC ? m1 - i : MC;
                pack(panels.a, g->a + i * g->a_row + l * g->a_column, g->a_row, g->a_column, mc, kc,
                     MR);
                macro_kernel(g, i, mc, j, nc, kc, g->add || l > 0);
            }
        }
    }
}

static void rows_body(int64_t begin, int64_t end, void *context)
{
    const Gemm *g = context;
    gemm_part(g, begin, end, 0, g->n);
}

static void columns_body(int64_t begin, int64_t end, void *context)
{
    const Gemm *g = context;
    gemm_part(g, 0, g->m, begin, end);
}

/* Threads share out the longer side of C, so that what each of them packs again is the smaller part. */
static void gemm(const Gemm *g)
{
    if (g->k == 0) {
        kernels_ref.gemm(g);
        return;
    }
    Gemm t = *g;
    if (g->c_column != 1 && g->c_row == 1) /* C stands transposed: compute C^T = B^T A^T */
        t = (Gemm){.m = g->n,
                   .n = g->m,
                   .k = g->k,
                   .add = g->add,
                   .a = g->b,
                   .a_row = g->b_column,
                   .a_column = g->b_row,
                   .b = g->a,
                   .b_row = g->a_column,
                   .b_column = g->a_row,
                   .c = g->c,
                   .c_row = g->c_column,
                   .c_column = g->c_row};
    if (t.m >= t.n)
        parallel_for(t.m, parallel_grain(t.n * t.k / 8), rows_body, &t);
    else
        parallel_for(t.n, parallel_grain(t.m * t.k / 8), columns_body, &t);
}

/* The whole set. kernels.c calls it when the processor has the instructions. */
void FAST(kernels_fill)(Kernels *k)
{
    k->gemm = gemm;
    FAST(kernels_fill_elements)(k);
    FAST(kernels_fill_functions)(k);
    FAST(kernels_fill_rows)(k);
    FAST(kernels_fill_attention)(k);
}
