/* kernels_fast.c: the same table, fast. Compiled once for each instruction set (ISA names it).
 *
 *   products     kernels_fast_gemm.c, on the tiles of kernels_fast_product.c
 *   attention    kernels_fast_attention.c, on the same tiles
 *   rows         kernels_fast_rows.c: softmax, LayerNorm, cross-entropy
 *   elements     kernels_fast_elements.c, and kernels_fast_functions.c for exp and its kin
 *   an axis      kernels_fast_sums.c, and kernels_fast_axis.c for variance and running sums
 *   losses       kernels_fast_losses.c: mean squares, binary cross-entropy
 *   patches      kernels_fast_conv.c, for convolutions
 *   few bits     kernels_fast_short.c, for models that write
 *
 * What none of them has, the reference computes. Beside AVX-512, kernels_amx*.c take products to the tile unit. */
#include "tensor/kernels_fast.h"

/* The whole set. kernels.c calls it when the processor has the instructions. */
void FAST(kernels_fill)(Kernels *k)
{
    FAST(kernels_fill_gemm)(k);
    FAST(kernels_fill_elements)(k);
    FAST(kernels_fill_functions)(k);
    FAST(kernels_fill_rows)(k);
    FAST(kernels_fill_sums)(k);
    FAST(kernels_fill_losses)(k);
    FAST(kernels_fill_attention)(k);
    FAST(kernels_fill_axis)(k);
    FAST(kernels_fill_conv)(k);
    FAST(kernels_fill_short)(k);
}
