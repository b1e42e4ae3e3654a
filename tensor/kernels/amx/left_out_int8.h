/* left_out_int8.h: what int8 slices leave out, in floats (internal).
 *
 * The tiles take what slices leave out (Int8LeftOut), and rows and columns that are out of range,
 * for zeros. These functions add their products to C. A tile with the mode INT8_INEXACT is left
 * alone: the caller computes it from other slices, with all its rows and steps. */
#ifndef GRADUS_KERNELS_AMX_LEFT_OUT_INT8_H
#define GRADUS_KERNELS_AMX_LEFT_OUT_INT8_H

#include "tensor/kernels/amx/tile_int8.h"
#include "tensor/kernels/simd/gemm.h"

/* The rows i.. of C, at most PANEL, and its columns j..; of the product's steps those from l on. */
typedef struct {
    const Gemm *g;
    int64_t i, m, j, nc, l, kc;
    const float *a_scale, *b_scale; /* 0: left out, or out of range */
    const uint8_t *mode[2];         /* of each half of the rows and group of columns */
    const Int8LeftOut *a_left_out,
        *b_left_out; /* of each half of the rows, of each group of columns */
} Int8Panel;

/* Adds the products of what the slices of A and B leave out. */
void amx_int8_add_left_out(const Int8Panel *p);
/* Adds the products of the rows and columns that are out of range. */
void amx_int8_add_out_of_range(const Int8Panel *p);

#endif
