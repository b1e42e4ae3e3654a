/* gemm.h: the two ways in which the tile unit multiplies matrices (internal). */
#ifndef GRADUS_KERNELS_AMX_GEMM_H
#define GRADUS_KERNELS_AMX_GEMM_H

#include "tensor/kernels/simd/gemm.h"

enum {
    AMX_LONG = 56,           /* so many steps, or more, are long rows */
    AMX_LONG_COLUMNS = 768,  /* of B that are copied together: of long rows */
    AMX_SHORT_COLUMNS = 768, /* and of short ones */
};

Rectangle amx_short_rectangle; /* in pieces, of fewer than AMX_LONG steps */
Rectangle amx_long_rectangle;  /* as integers */

#endif
