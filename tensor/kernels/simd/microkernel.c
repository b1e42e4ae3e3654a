/* microkernel.c: a product of near operands, in tiles that are held in registers.
 *
 *                 <----- NR = NV vectors ----->
 *     a_0 [ ]  x  [ b_0 | b_1 ]   ->  acc[0][0] acc[0][1]        for each of k steps: MR numbers of A
 *     a_1 [ ]                         acc[1][0] acc[1][1]        times NV vectors of B, into MR * NV
 *     ...                             ...                        registers
 *     a_MR-1                          acc[MR-1][..]
 *
 *     AVX-512 14 x 32,  AVX2 6 x 16,  NEON 8 x 12,  SSE2 6 x 8
 *
 * 64 x 64 x 64, one thread: 0.0031 ms (168 GFLOP/s); 256 x 256 x 256, two: 0.10 ms (310 GFLOP/s): a Xeon with
 * AVX-512 that did other work too, gcc 12 -O3, 2026-11-20. Fused multiply-adds alone reached 198 and 339 there.
 *
 * Whatever the tile's height and width, an element of C is the sum over the steps in their order: where it
 * stands among tiles, and who computes it, changes no bit. */
#include "tensor/kernels/simd/microkernel.h"

/* `rows` and `nv` are constants at every call. Rows of A are reached from every third one's address: two
 * strides further is as far as one instruction's addressing goes. */
static inline __attribute__((always_inline)) void tile(int rows, int nv, const Product *p,
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
    /* C may be far away. Its rows are asked for one after another while the steps run: all at once, they would
     * hold up what the steps themselves load. Few steps are over too soon for that. */
    const int64_t share = p->k < 128 ? 0 : p->k / (MR + 2);
    for (int64_t row = 0, left = p->k; left > 0; row++) {
        int64_t steps = row < rows ? share : left;
        if (row < rows) {
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++)
                __builtin_prefetch(c + row * c_row + v * W, 1);
        }
        for (left -= steps; steps > 0; steps--, b += b_step) {
            Vector bv[NV];
#pragma GCC unroll 4
            for (int v = 0; v < nv; v++)
                bv[v] = load(b + v * W);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                float number = third[i / 3][i % 3 * a_row];
#pragma GCC unroll 4
                for (int v = 0; v < nv; v++)
                    acc[i][v] += number * bv[v];
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

/* A tile of any height, for each width that there is. */
#define HEIGHT(rows)                                       \
    case rows:                                             \
        tile(rows, nv, p, a, b, c, c_row, from, from_row); \
        break;
#if defined(__AVX512F__)
#define TALL(H) H(7) H(8) H(9) H(10) H(11) H(12) H(13) H(14)
#elif defined(__aarch64__)
#define TALL(H) H(7) H(8)
#else
#define TALL(H)
#endif
#define TILE_OF_WIDTH(name, nv_)                                                               \
    static __attribute__((noinline)) void name(int64_t rows, const Product *p, const float *a, \
                                               const float *b, float *c, int64_t c_row,        \
                                               const float *from, int64_t from_row)            \
    {                                                                                          \
        enum { nv = nv_ };                                                                     \
        switch (rows) {                                                                        \
            HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) TALL(HEIGHT)           \
        }                                                                                      \
    }
TILE_OF_WIDTH(tile_1, 1)
TILE_OF_WIDTH(tile_2, 2)
#if defined(__aarch64__)
TILE_OF_WIDTH(tile_3, 3)
static void (*const tiles[])(int64_t, const Product *, const float *, const float *, float *,
                             int64_t, const float *, int64_t) = {tile_1, tile_2, tile_3};
#else
static void (*const tiles[])(int64_t, const Product *, const float *, const float *, float *,
                             int64_t, const float *, int64_t) = {tile_1, tile_2};
#endif

/* A tile whose columns are not whole vectors, or not next to each other in C, goes through a buffer. */
static void tile_apart(int64_t rows, int64_t columns, const Product *p, const float *a,
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

/* A tile of A stays in the nearest cache while the panels of B pass by. */
void FAST(kernels_product)(const Product *p)
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
                tile_apart(rows, columns, p, a, b, c, from);
        }
    }
}
