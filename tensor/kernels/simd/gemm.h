/* gemm.h: what every way of multiplying matrices begins with (internal). */
#ifndef GRADUS_KERNELS_FAST_GEMM_H
#define GRADUS_KERNELS_FAST_GEMM_H

#include "tensor/kernels/simd/simd.h"

/* C^T = B^T A^T */
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
                  .scratch = g->scratch};
}

/* The same product, along rows of C that are contiguous where it can be: a single column is a row, turned. */
static inline Gemm along_rows(const Gemm *g)
{
    bool turns = !g->bias && g->c_row == 1 && (g->c_column != 1 || g->n == 1);
    return turns ? transposed(g) : *g;
}

/* ---- sharing out C --------------------------------------------------------------------------------------- */

/* Computes the rows m0..m1-1 and columns n0..n1-1 of C. */
typedef void Rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1);

/* A way of multiplying. */
typedef struct {
    Rectangle *rectangle;
    int64_t height,
        width;     /* of a tile, which is not cut: rectangles are made of tiles             */
    int64_t block; /* columns of B that are copied together: for each, A is copied again    */
    int64_t copy;  /* how many products take as long as copying one number                  */
    int64_t speed; /* how many products take as long as one elementary operation            */
} Way;

typedef struct {
    const Gemm *g;
    const Way *way;
    int64_t rows, columns; /* of rectangles */
} Grid;

static inline int64_t tiles_in(int64_t n, int64_t tile)
{
    return (n + tile - 1) / tile;
}

static inline void grid_body(int64_t begin, int64_t end, void *context)
{
    const Grid *grid = context;
    const Gemm *g = grid->g;
    const Way *way = grid->way;
    int64_t high = tiles_in(g->m, way->height), wide = tiles_in(g->n, way->width);
    for (int64_t r = begin; r < end; r++) {
        int64_t i = r / grid->columns, j = r % grid->columns;
        int64_t m = high * (i + 1) / grid->rows * way->height;
        int64_t n = wide * (j + 1) / grid->columns * way->width;
        way->rectangle(g, high * i / grid->rows * way->height, m < g->m ? m : g->m,
                       wide * j / grid->columns * way->width, n < g->n ? n : g->n);
    }
}

/* Into rectangles for so many threads: those of which the largest takes least time.
 *
 * What ops beside products do is shared out by rows: a thread's rows of A, and of C, lie near it, the others far. So
 * copying A counts half as much again as copying B, and columns are cut where that saves more. With 1 : 1, 512 x 512 x
 * 512 took 1.2 times as long, and train_vit_32p4's step 1.05 times; with 5 : 2, train_vae's 1.15 times (two threads of
 * a Xeon with AMX, gcc 12, 2026-11-21). */
static inline void grid_cut(Grid *grid, int64_t threads)
{
    const Way *way = grid->way;
    int64_t least = INT64_MAX;
    int64_t all_high = tiles_in(grid->g->m, way->height),
            all_wide = tiles_in(grid->g->n, way->width);
    for (int64_t rows = 1; rows <= threads; rows++) {
        int64_t columns = threads / rows;
        if (rows > all_high || columns > all_wide)
            continue;
        int64_t high = tiles_in(all_high, rows) * way->height;
        int64_t wide = tiles_in(all_wide, columns) * way->width;
        int64_t time =
            high * wide + way->copy * (3 * high * tiles_in(wide, way->block) + 2 * wide) / 2;
        if (time < least) {
            least = time;
            grid->rows = rows;
            grid->columns = columns;
        }
    }
}

/* The whole of C, by as many threads as the work is worth. */
static inline void share_out(const Gemm *g, const Way *way)
{
    int64_t work = g->m * g->n * g->k / way->speed, threads = parallel_threads();
    if (threads > work / parallel_grain(1))
        threads = work / parallel_grain(1);
    if (threads > g->scratch.parts)
        threads = g->scratch.parts;
    Grid grid = {g, way, 1, 1};
    grid_cut(&grid, threads > 1 ? threads : 1);
    parallel_for(grid.rows * grid.columns, 1, grid_body, &grid);
}

#endif
