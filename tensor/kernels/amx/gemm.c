/* gemm.c: which matrix products the tile unit computes, and with which method.
 *
 *   gemm.c, gemm.h            the choice of the method (this file)
 *   gemm_int8.c               products of 56 steps or more, from int8 slices
 *   gemm_bf16.c               products of 24 to 55 steps, and tiles of longer ones, from bfloat16 slices
 *   statistics_int8.c         what packing knows of rows before it slices them
 *   left_out_int8.c           what int8 slices leave out, in floats
 *   pack_int8.c, pack_bf16.c  slicing and packing of the operands
 *   tile_int8.c, tile_int8.h  products of int8 slices in the tile unit; the header explains the method
 *   tile_bf16.c, tile_bf16.h  products of bfloat16 slices in the tile unit; the header explains the method
 *   attention.c               the products of attention from int8 slices
 *
 * Smaller products, and products with few rows or columns, are computed with AVX-512.
 *
 * With two threads, 512 x 512 x 512 takes 0.32 to 0.39 ms (836 to 697 GFLOP/s) and 2048 x 2048 x
 * 2048 17 to 25 ms (995 to 679), depending on the other users of the machine; AVX-512 takes 0.82
 * and 53.5 ms. A loop of multiply-adds reaches 471 GFLOP/s (a Xeon with AVX-512 and AMX, gcc 12
 * -O3, 2026-11-21). */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_bf16.h"

/* The kernel that AVX-512 entered into the table, for products that the tile unit does not speed
 * up. It is set when this set is filled. */
static void (*without_tiles)(const Gemm *g);

/* With one thread, products of 48 x 48 and of 32 x 96 take 0.7 to 1.1 of AVX-512's time, whatever
 * their layout, and 512 x 512 takes half of it. Products of fewer than 24 steps take longer than
 * with AVX-512, and so does 64 x 64 x 64 with two threads (a Xeon with AMX, gcc 12, 2026-11-21).
 * The second condition, 24 (m + n) <= m n, weighs the slicing of m k + k n elements against the m n
 * k products. */
static bool tiles_pay(const Gemm *g)
{
    return g->m > 0 && g->k >= 24 && 24 * (g->m + g->n) <= g->m * g->n &&
           (g->k < INT8_MIN_STEPS || g->m * g->n * g->k > 64 * 64 * 64);
}

/* The kernel `gemm`. The methods' costs of packing an element, 28 and 40 multiply-adds, are
 * estimates for grid_choose. */
static void gemm(const Gemm *g)
{
    static const GemmMethod bf16 = {amx_bf16_rectangle, .height = TILE_ROWS,
                                    .width = TILE_ROWS, .block_columns = BF16_COLUMNS,
                                    .pack_cost = 28,    .products_per_addition = 40};
    static const GemmMethod int8 = {amx_int8_rectangle, .height = TILE_ROWS,
                                    .width = TILE_ROWS, .block_columns = INT8_COLUMNS,
                                    .pack_cost = 40,    .products_per_addition = 30};
    Gemm t = with_contiguous_rows(g);
    if (t.scratch.parts > 0 && tiles_pay(&t))
        gemm_parallel(&t, t.k < INT8_MIN_STEPS ? &bf16 : &int8);
    else
        without_tiles(g);
}

void kernels_fill_avx512(Kernels *k);
void kernels_fill_amx(Kernels *k);

/* All kernels but matrix products and attention are those of AVX-512. */
void kernels_fill_amx(Kernels *k)
{
    kernels_fill_avx512(k);
    without_tiles = k->gemm;
    k->gemm = gemm;
    ISA_NAME(kernels_fill_attention)(k);
}
