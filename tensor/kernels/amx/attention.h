/* attention.h: enters attention into the table of kernels (internal). */
#ifndef GRADUS_KERNELS_AMX_ATTENTION_H
#define GRADUS_KERNELS_AMX_ATTENTION_H

#include "tensor/kernels/kernels.h"

/* Attention of AVX-512 with the products of its tiles in the tile unit, where that pays. */
void amx_fill_attention(Kernels *k);

#endif
