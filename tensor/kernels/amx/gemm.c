/* gemm.c: which matrix products the tile unit computes, and in which way.
 *
 *      short rows    in pieces of floats (kernels/amx/gemm_bf16.c)
 *      long rows     as integers (kernels/amx/gemm_int8.c)
 *      small ones    are left to AVX-512, as are few rows or columns
 *
 * By two threads 512 x 512 x 512 takes 0.32 to 0.39 ms (836 to 697 GFLOP/s), 2048 x 2048 x 2048 17 to 25 (995 to 679), by
 * what the machine's other tenants do; AVX-512 0.82 and 53.5; the processor's multiply-adds alone reach 471 GFLOP/s: a
 * Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/tile_bf16.h"

static void (*without_tiles)(const Gemm *g);

/* By one thread, products of 48 x 48 and of 32 x 96 take 0.7 to 1.1 of AVX-512's time, whatever their layout, 512 x 512
 * half; fewer than 24 steps, more than once its time, and 64 x 64 x 64 by two threads, too (a Xeon with AMX, gcc 12,
 * 2026-11-21). */
static bool pays(const Gemm *g)
{
    return g->m > 0 && g->k >= 24 && 24 * (g->m + g->n) <= g->m * g->n &&
           (g->k < AMX_LONG || g->m * g->n * g->k > 64 * 64 * 64);
}

static void gemm(const Gemm *g)
{
    static const Way short_rows = {amx_short_rectangle,        .height = REG, .width = REG,
                                   .block = AMX_SHORT_COLUMNS, .copy = 28,    .speed = 40};
    static const Way long_rows = {amx_long_rectangle,        .height = REG, .width = REG,
                                  .block = AMX_LONG_COLUMNS, .copy = 40,    .speed = 30};
    Gemm t = along_rows(g);
    if (t.scratch.parts > 0 && pays(&t))
        share_out(&t, t.k < AMX_LONG ? &short_rows : &long_rows);
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
