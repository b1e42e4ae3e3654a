/* microkernel.c: the micro-kernel: a tile of C in registers, the sum of k outer products.
 *
 *                <----- NR = NV vectors ----->
 *    a_0 [ ]  x  [ b_0 | b_1 ]   ->  acc[0][0] acc[0][1]  each of the k steps multiplies MR elements of A
 *    a_1 [ ]                         acc[1][0] acc[1][1]  by NV vectors of B and adds to MR * NV registers
 *    ...                             ...
 *    a_MR-1                          acc[MR-1][..]
 *
 *     AVX-512 14 x 32,  AVX2 6 x 16,  NEON 8 x 12,  SSE2 6 x 8
 *
 * Whatever the height and width of a tile, an element of C is the sum over the steps in their
 * order: neither its position in the tile nor the thread that computes it changes a bit. */
#include "tensor/kernels/simd/microkernel.h"

/* Prefetches the next lines of u into the second-level cache: the first level holds the operands of
 * this product. */
static inline void prefetch_upcoming(Upcoming *u)
{
    for (int64_t i = 0; i < u->at_once && u->rows > 0; i++) {
        __builtin_prefetch(u->x + u->line * LINE, 0, 2);
        if (++u->line == u->lines) {
            u->line = 0;
            u->x += u->row;
            u->rows--;
        }
    }
}

/* `rows` and `nv` are constants at every call. The addresses of A's rows are computed from every
 * third row, because an instruction's addressing mode reaches at most two strides further. */
static inline __attribute__((always_inline)) void tile(int rows, int nv, const PanelProduct *p,
                                                       const float *a, const float *b, float *c,
                                                       int64_t c_row, const float *from,
                                                       int64_t from_row)
{
    enum { THIRDS = (MR + 2) / 3 };
    Vector acc[MR][NV] = {0};
    const float *third[THIRDS];
    const int64_t a_row = p->a_row, a_step = p->a_step, b_step = p->b_step;
    for (int t = 0; t < THIRDS; t++)
        third[t] = a + 3 * t * a_row;
    /* The rows of C, which may not be cached, are prefetched one after another during the steps:
     * prefetching all of them at once would delay the loads of the steps. With few steps a prefetch
     * would come too late to help, and there is none. */
    const int64_t share = p->k < 128 ? 0 : p->k / (MR + 2);
    for (int64_t row = share > 0 ? 0 : rows, left = p->k; left > 0; row++) {
        int64_t steps = row < rows ? share : left;
        if (row < rows) {
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++)
                __builtin_prefetch(c + row * c_row + v * W, 1);
            if (p->next)
                prefetch_upcoming(p->next);
        }
        for (left -= steps; steps > 0; steps--, b += b_step) {
            Vector bv[NV];
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++)
                bv[v] = load(b + v * W);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                float a_element = third[i / 3][i % 3 * a_row];
#pragma GCC unroll 4
                for (int v = 0; v < nv; v++)
                    acc[i][v] += a_element * bv[v];
            }
#pragma GCC unroll 8
            for (int t = 0; t < THIRDS; t++)
                third[t] += a_step;
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int v = 0; v < nv; v++) {
            if (from)
                acc[i][v] += load(from + i * from_row + v * W);
            store(c + i * c_row + v * W, acc[i][v]);
        }
}

/* One function for each width of a tile; the height selects the loop inside. */
#define TILE_OF_HEIGHT(rows)                               \
    case rows:                                             \
        tile(rows, nv, p, a, b, c, c_row, from, from_row); \
        break;
#if defined(__AVX512F__)
#define TALLER_TILES(H) H(7) H(8) H(9) H(10) H(11) H(12) H(13) H(14)
#elif defined(__aarch64__)
#define TALLER_TILES(H) H(7) H(8)
#else
#define TALLER_TILES(H)
#endif
#define TILE_OF_WIDTH(name, nv_)                                                                   \
    static __attribute__((noinline)) void name(int64_t rows, const PanelProduct *p,                \
                                               const float *a, const float *b, float *c,           \
                                               int64_t c_row, const float *from, int64_t from_row) \
    {                                                                                              \
        enum { nv = nv_ };                                                                         \
        switch (rows) {                                                                            \
            TILE_OF_HEIGHT(1)                                                                      \
            TILE_OF_HEIGHT(2)                                                                      \
            TILE_OF_HEIGHT(3)                                                                      \
            TILE_OF_HEIGHT(4) TILE_OF_HEIGHT(5) TILE_OF_HEIGHT(6) TALLER_TILES(TILE_OF_HEIGHT)     \
        }                                                                                          \
    }
TILE_OF_WIDTH(tile_1, 1)
TILE_OF_WIDTH(tile_2, 2)
#if defined(__aarch64__)
TILE_OF_WIDTH(tile_3, 3)
static void (*const tiles[])(int64_t, const PanelProduct *, const float *, const float *, float *,
                             int64_t, const float *, int64_t) = {tile_1, tile_2, tile_3};
#else
static void (*const tiles[])(int64_t, const PanelProduct *, const float *, const float *, float *,
                             int64_t, const float *, int64_t) = {tile_1, tile_2};
#endif

/* A tile whose columns do not fill whole vectors, or are not contiguous in C, is computed into a
 * buffer first. The buffer has whole vectors, so that the register tile can be stored without a
 * mask; then only what exists is copied. */
static void tile_buffered(int64_t rows, int64_t columns, const PanelProduct *p, const float *a,
                          const float *b, float *c, const float *from)
{
    float part[MR * NR] __attribute__((aligned(64)));
    tiles[(columns + W - 1) / W - 1](rows, p, a, b, part, NR, NULL, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float sum = part[i * NR + j];
            if (from)
                sum += from[i * p->from_row + j * p->from_column];
            c[i * p->c_row + j * p->c_column] = sum;
        }
}

/* A tile of A stays in the first-level cache while the panels of B are read.
 * The last tile of rows and the last panel of columns may be narrower. */
void ISA_NAME(kernels_panel_product)(const PanelProduct *p)
{
    int64_t height = tile_height(p->m);
    const float *a = p->a;
    for (int64_t i = 0; i < p->m; i += height, a += p->a_next) {
        int64_t rows = p->m - i < height ? p->m - i : height;
        const float *b = p->b;
        for (int64_t j = 0; j < p->n; j += NR, b += p->b_next) {
            int64_t columns = p->n - j < NR ? p->n - j : NR;
            bool whole = columns % W == 0 && p->c_column == 1 && (!p->from || p->from_column == 1);
            float *c = p->c + i * p->c_row + j * p->c_column;
            const float *from = p->from ? p->from + i * p->from_row + j * p->from_column : NULL;
            if (whole)
                tiles[columns / W - 1](rows, p, a, b, c, p->c_row, from, p->from_row);
            else
                tile_buffered(rows, columns, p, a, b, c, from);
        }
    }
}
