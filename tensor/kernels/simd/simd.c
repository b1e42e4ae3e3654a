/* simd.c: the same table, fast. Compiled once for each instruction set (ISA names it).
 *
 *   products     kernels/simd/gemm.c, on the tiles of kernels/simd/microkernel.c
 *   attention    kernels/simd/attention/forward.c, on the same tiles
 *   rows         kernels/simd/rows.c: softmax, LayerNorm, cross-entropy
 *   elements     kernels/simd/elementwise.c, and kernels/simd/functions.c for exp and its kin
 *   an axis      kernels/simd/reduce.c, and kernels/simd/variance_cumsum.c for variance and running sums
 *   losses       kernels/simd/losses.c: mean squares, binary cross-entropy
 *   patches      kernels/simd/im2col.c, for convolutions
 *   few bits     kernels/simd/quantised.c, for models that write
 *
 * What none of them has, the reference computes. Beside AVX-512, kernels/amx take products to the tile unit. */
#include "tensor/kernels/simd/simd.h"

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
    FAST(kernels_fill_quantised)(k);
}
