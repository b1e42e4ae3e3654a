/* attention.h: enters attention into the table of kernels (internal). */
#ifndef GRADUS_KERNELS_AMX_ATTENTION_H
#define GRADUS_KERNELS_AMX_ATTENTION_H

#include "tensor/kernels/amx/slices.h"

/* Attention of AVX-512 with the products of its tiles in the unit, where that pays. */
void UNIT_NAME(fill_attention)(Kernels *k);

#endif
