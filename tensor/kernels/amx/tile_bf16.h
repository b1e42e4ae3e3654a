/* tile_bf16.h: products of floats on a processor that multiplies tiles of bfloat16 (internal).
 *
 * Intel's AMX has eight registers of 16 rows of 64 bytes, and an instruction that multiplies two of
 * them, of bfloat16, sixteen times as fast as the processor multiplies floats. A bfloat16 is the
 * upper half of a float: its sign, its exponent and 8 of its 24 significant bits. So a float is
 * exactly the sum of three bfloat16 slices,
 *
 *      x = x0 + x1 + x2         x0: the first 8 bits of x, x1: of the remainder, x2: the rest
 *
 * and a product of floats is six products of slices; the omitted products are one part in 2^24,
 * like rounding:
 *
 *      a b = a0 b0 + (a0 b1 + a1 b0) + (a0 b2 + a1 b1 + a2 b0)
 *
 * Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for
 * higher-precision computations" (2019). The unit sums 32 steps separately before it adds them to
 * C, so that the result is nearer to the true sum than that of consecutive float multiply-adds.
 * Infinities have no slices, and the unit takes numbers below 2^-126 for 0: rows with an infinity,
 * and rows of small numbers alone, are computed in floats (kernels/amx/gemm_bf16.c).
 *
 * Products of 24 to 55 steps are computed in this way, and tiles of longer products for which int8
 * slices (kernels/amx/tile_int8.h), which take half the time, are not exact enough. */
#ifndef GRADUS_KERNELS_AMX_TILE_BF16_H
#define GRADUS_KERNELS_AMX_TILE_BF16_H

#include "tensor/kernels/simd/simd.h"

enum {
    BF16_SLICES = 3,
    TILE_ROWS = 16,  /* rows of a tile register, and 4-byte lanes of a row */
    BF16_STEPS = 32, /* steps in a tile register: a lane holds the steps l and l + TILE_ROWS */
    BF16_MOST_STEPS = 128,                  /* that are packed together */
    PANEL = 2 * TILE_ROWS,                  /* rows of A, or columns of B, in a panel */
    TILE_BYTES = TILE_ROWS * TILE_ROWS * 4, /* of a tile register */
    BF16_STEP_BYTES =
        2 * BF16_SLICES * TILE_BYTES, /* of a panel's BF16_STEPS: two registers of each slice */
};

/* Which index of a tile register is what: A's rows are the rows of the register, B's columns are
 * its lanes. */
typedef enum { SIDE_A, SIDE_B } Side;

/* A mask of the first n of sixteen lanes, n >= 0. */
static inline __mmask16 first_lanes(int64_t n)
{
    return n >= TILE_ROWS ? 0xffff : (__mmask16)((1 << n) - 1);
}

/* Slices a matrix into panels: row r of `rows` (columns, for B) and step l of `steps`, at most
 * BF16_MOST_STEPS, is x[r * row + l * step]. Panel i begins at to + i * next and is 0 beyond the
 * end of the matrix. in_floats tells of each TILE_ROWS rows whether products with them have to be
 * computed in floats: an element is not finite, or all elements of a row are near 0 (below 2^-50)
 * and not all 0. True if any have to. */
bool amx_pack_bf16(unsigned char *to, int64_t next, Side side, const float *x, int64_t row,
                   int64_t step, int64_t rows, int64_t steps, bool *in_floats);

/* Copies at most TILE_ROWS rows and TILE_ROWS steps: element (r, l) from x[r * row + l * step] to
 * to[r * to_row + l * to_step]. One of to_row and to_step is 1; in that direction up to TILE_ROWS
 * elements are written, with zeros after the existing ones. */
void amx_copy_block(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                    int64_t step, int64_t rows, int64_t steps);

/* C (m, n) = from + A B, or C += A B, of panels of so many steps, rounded up to BF16_STEPS. */
typedef struct {
    int64_t m, n, steps;
    const unsigned char *a, *b;
    int64_t a_next, b_next;
    float *c;
    int64_t c_row, c_column;
    bool add;          /* the products are summed first, and the sum is added to C */
    const float *from; /* where add is false, what the sums start from: NULL for zeros, or a bias */
    int64_t from_row, from_column; /* may be 0 */
} Bf16Product;

/* Computes the product in the calling thread, which has called amx_configure. */
void amx_multiply_bf16(const Bf16Product *p);

/* The bytes of a panel of so many steps. */
static inline int64_t bf16_panel_bytes(int64_t steps)
{
    return (steps + BF16_STEPS - 1) / BF16_STEPS * BF16_STEP_BYTES;
}

/* Configures the tile registers for the calling thread until amx_release. A configured unit makes
 * context switches slower. */
void amx_configure(void);
void amx_release(void);

#endif
