/* gemm.h: what all methods of matrix multiplication share: the layout of C and its division among
 * threads (internal).
 *
 * A matrix product has three levels: gemm_parallel divides C into rectangles, one for each thread;
 * a method (Rectangle) computes a rectangle from packed blocks of A and B; a micro-kernel
 * multiplies a tile in registers or in the tile unit. The methods are those of simd/gemm.c
 * and amx/gemm.c. */
#ifndef GRADUS_KERNELS_SIMD_GEMM_H
#define GRADUS_KERNELS_SIMD_GEMM_H

#include "tensor/kernels/simd/simd.h"

/* C^T = B^T A^T. Only the descriptions are exchanged; no element moves. The copy has no bias, which
 * would belong to the rows of the transposed C: callers transpose products without one. */
static inline Gemm transposed(const Gemm *g)
{
    return (Gemm){.m = g->n,
                  .n = g->m,
                  .k = g->k,
                  .a = g->b,
                  .a_row = g->b_column,
                  .a_column = g->b_row,
                  .b = g->a,
                  .b_row = g->a_column,
                  .b_column = g->a_row,
                  .c = g->c,
                  .c_row = g->c_column,
                  .c_column = g->c_row,
                  .add = g->add,
                  .bf16 = g->bf16,
                  .scratch = g->scratch};
}

/* The same product with the rows of C contiguous, by transposing all three matrices where that
 * helps. A single column counts as a row of the transposed C. */
static inline Gemm with_contiguous_rows(const Gemm *g)
{
    bool transposes = !g->bias && g->c_row == 1 && (g->c_column != 1 || g->n == 1);
    return transposes ? transposed(g) : *g;
}

/* ---- division of C among threads ------------------------------------------------------------- */

/* Computes the rows m0..m1-1 and columns n0..n1-1 of C. */
typedef void Rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1);

/* A method of multiplication and its cost model. */
typedef struct {
    Rectangle *rectangle;
    int64_t height, width; /* of a tile; rectangles consist of whole tiles */
    /* Columns of B that are packed together; A is packed again for each such block. */
    int64_t block_columns;
    int64_t pack_cost; /* the time to pack one element, in multiply-adds */
    /* Multiply-adds in the time of one elementary operation of parallel_grain. */
    int64_t products_per_addition;
} GemmMethod;

typedef struct {
    const Gemm *g;
    const GemmMethod *method;
    int64_t rows, columns; /* of rectangles */
} Grid;

/* How many tiles cover n rows or columns. */
static inline int64_t divide_up(int64_t n, int64_t tile)
{
    return (n + tile - 1) / tile;
}

/* The body of parallel_for: computes the rectangles begin to end - 1, counted row by row of the
 * grid. Rectangle (i, j) has the rows of tiles from tall i / rows to before tall (i + 1) / rows,
 * and the columns likewise: the numbers of tiles differ by at most one between rectangles, and
 * only the last rectangle has a tile that reaches beyond m or n. */
static inline void grid_body(int64_t begin, int64_t end, void *context)
{
    const Grid *grid = context;
    const Gemm *g = grid->g;
    const GemmMethod *method = grid->method;
    int64_t tall = divide_up(g->m, method->height), wide = divide_up(g->n, method->width);
    for (int64_t r = begin; r < end; r++) {
        int64_t i = r / grid->columns, j = r % grid->columns;
        int64_t m = tall * (i + 1) / grid->rows * method->height;
        int64_t n = wide * (j + 1) / grid->columns * method->width;
        method->rectangle(g, tall * i / grid->rows * method->height, m < g->m ? m : g->m,
                          wide * j / grid->columns * method->width, n < g->n ? n : g->n);
    }
}

/* Divides C into rectangles, one for each thread, so that the slowest thread takes the least time.
 *
 * The other ops of a model divide their work by rows, so that a thread's rows of A and C are in its
 * own caches while other rows are not. Packing an element of A therefore counts one and a half
 * times as much as one of B, and the columns are divided where that saves more. With a ratio of 1 :
 * 1, 512 x 512 x 512 took 1.2 times as long, and a step of train_vit_32p4 1.05 times; with 5 : 2, a
 * step of train_vae took 1.15 times as long (two threads of a Xeon with AMX, gcc 12,
 * 2026-11-21). */
static inline void grid_choose(Grid *grid, int64_t threads)
{
    const GemmMethod *method = grid->method;
    int64_t least = INT64_MAX;
    int64_t all_high = divide_up(grid->g->m, method->height),
            all_wide = divide_up(grid->g->n, method->width);
    for (int64_t rows = 1; rows <= threads; rows++) {
        int64_t columns = threads / rows;
        if (rows > all_high || columns > all_wide)
            continue;
        int64_t tall = divide_up(all_high, rows) * method->height;
        int64_t wide = divide_up(all_wide, columns) * method->width;
        int64_t time =
            tall * wide +
            method->pack_cost * (3 * tall * divide_up(wide, method->block_columns) + 2 * wide) / 2;
        if (time < least) {
            least = time;
            grid->rows = rows;
            grid->columns = columns;
        }
    }
}

/* Computes all of C, by as many threads as the amount of work justifies.
 * Each thread packs into its own part of the scratch memory, so that there are never more
 * rectangles than parts. */
static inline void gemm_parallel(const Gemm *g, const GemmMethod *method)
{
    int64_t work = g->m * g->n * g->k / method->products_per_addition, threads = parallel_threads();
    if (threads > work / parallel_grain(1))
        threads = work / parallel_grain(1);
    if (threads > g->scratch.parts)
        threads = g->scratch.parts;
    Grid grid = {g, method, 1, 1};
    grid_choose(&grid, threads > 1 ? threads : 1);
    parallel_for(grid.rows * grid.columns, 1, grid_body, &grid);
}

#endif
