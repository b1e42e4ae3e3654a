/* simd.c: enters all SIMD kernels of one instruction set into the kernels' table.
 *
 *   gemm.c                       matrix products: packing, blocking, sharing among threads
 *   microkernel.c, microkernel.h the innermost loops of a matrix product, in registers
 *   pack.h                       packing of a matrix into panels; transposes in registers
 *   attention/                   fused attention, forward and backward (attention/attention.h lists its files)
 *   rows.c                       softmax, log-softmax, cross-entropy: one row at a time
 *   layernorm.c                  LayerNorm
 *   elementwise.c, elementwise.h binary operations, dropout, Adam; how elementwise work is shared among threads
 *   functions.c                  exp, tanh, GELU and the other functions of one number
 *   reduce.c                     sums along an axis
 *   embedding.c                  the gradient of a table of embeddings
 *   losses.c                     mean squared error, binary cross-entropy
 *   im2col.c                     the rearrangement that turns a convolution into a matrix product
 *   philox.h                     random numbers for dropout
 *   simd.h                       vectors and elementary functions, which all files use
 *
 * Kernels that a set does not provide stay those of the reference (kernels/ref). */
#include "tensor/kernels/simd/simd.h"

/* The whole set. kernels.c calls it when the processor has the instructions. */
void ISA_NAME(kernels_fill)(Kernels *k)
{
    ISA_NAME(kernels_fill_gemm)(k);
    ISA_NAME(kernels_fill_elementwise)(k);
    ISA_NAME(kernels_fill_functions)(k);
    ISA_NAME(kernels_fill_rows)(k);
    ISA_NAME(kernels_fill_layernorm)(k);
    ISA_NAME(kernels_fill_reduce)(k);
    ISA_NAME(kernels_fill_losses)(k);
    ISA_NAME(kernels_fill_attention)(k);
    ISA_NAME(kernels_fill_im2col)(k);
    ISA_NAME(kernels_fill_embedding)(k);
}
