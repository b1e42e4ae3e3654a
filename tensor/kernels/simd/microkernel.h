/* microkernel.h: the innermost loops of every matrix product (internal).
 *
 * A micro-kernel (the term is BLIS's) keeps a tile of C in registers while it runs through the k
 * steps of the sum. The size of the tile follows from the number of registers: MR NV sums, NV
 * vectors of B and one element of A must fit. AVX-512 has 32 registers (28 + 2 + 1), AVX2 and SSE2
 * have 16 (12 + 2 + 1), NEON has 32 (24 + 3 + 1). */
#ifndef GRADUS_KERNELS_SIMD_MICROKERNEL_H
#define GRADUS_KERNELS_SIMD_MICROKERNEL_H

#include "tensor/kernels/simd/simd.h"

/* The tile of C that is held in registers: MR rows of NV vectors. */
#if defined(__AVX512F__)
enum { MR = 14, NV = 2 };
#elif defined(__aarch64__)
enum { MR = 8, NV = 3 };
#else
enum { MR = 6, NV = 2 };
#endif
enum { NR = NV * W };

enum { LINE = 16 }; /* floats of a cache line */

/* The part of a matrix that the caller reads after a product: `rows` rows of `lines` cache lines,
 * `row` floats apart. While it multiplies, the product prefetches them, `at_once` lines at a time,
 * and counts down what is left. */
typedef struct {
    const float *x; /* the row of the next line to be prefetched */
    int64_t rows, row, lines, line;
    int64_t at_once;
} Upcoming;

/* C (m, n) = from + A (m, k) B (k, n) for operands that are in the caches. A consists of tiles of
 * tile_height(m) rows, a_next floats apart; B of panels of NR columns, b_next floats apart, whose
 * rows may be read up to whole vectors. */
typedef struct {
    int64_t m, n, k; /* rows and columns of C, steps of the sum */
    const float *a;
    int64_t a_row, a_step, a_next; /* from one row, step, tile of A to the next */
    const float *b;
    int64_t b_step, b_next; /* from one step, panel of B to the next */
    float *c;
    int64_t c_row, c_column;
    /* The initial value of C: NULL for zeros, C itself to add to it, or a bias. */
    const float *from;
    int64_t from_row, from_column;
    Upcoming *next; /* NULL: nothing is prefetched */
} PanelProduct;

/* Computes the product. Of C exactly m rows and n columns are written; of B up to W - 1 elements
 * beyond a row's n columns are read. */
void ISA_NAME(kernels_panel_product)(const PanelProduct *p);

/* The height that divides m rows into tiles of nearly equal height: 15 rows become 8 and 7, not 14
 * and 1. */
static inline int64_t tile_height(int64_t m)
{
    int64_t tiles = (m + MR - 1) / MR;
    return (m + tiles - 1) / tiles;
}

#endif
