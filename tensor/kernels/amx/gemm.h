/* gemm.h: the two methods by which the tile unit multiplies matrices (internal).
 *
 * A method computes a rectangle of C (Rectangle, kernels/simd/gemm.h) from operands that it slices
 * into the thread's scratch memory. The columns packed together are limited so that the slices of
 * B stay in a second-level cache of 2 MiB: with int8, 768 columns of 384 steps of 3 bytes are 864
 * KiB. */
#ifndef GRADUS_KERNELS_AMX_GEMM_H
#define GRADUS_KERNELS_AMX_GEMM_H

#include "tensor/kernels/simd/gemm.h"

enum {
    INT8_MIN_STEPS = 56, /* products of this many steps or more use int8 slices */
    INT8_COLUMNS = 768,  /* columns of B that are packed together, with int8 slices */
    BF16_COLUMNS = 768,  /* the same with bfloat16 slices */
};

Rectangle amx_bf16_rectangle; /* for fewer than INT8_MIN_STEPS steps */
Rectangle amx_int8_rectangle; /* for INT8_MIN_STEPS steps or more */

/* amx_bf16_rectangle for any number of steps, where the tile unit is configured. It needs half of a
 * thread's scratch memory. */
Rectangle amx_bf16_product;

#endif
