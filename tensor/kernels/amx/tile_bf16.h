/* tile_bf16.h: products of floats on a processor that multiplies tiles of 16-bit numbers (internal).
 *
 * Intel's AMX has eight registers of 16 rows of 64 bytes, and an instruction that multiplies two of them, of
 * bfloat16, sixteen times as fast as the processor multiplies floats. A bfloat16 is the upper half of a float: its
 * sign, its exponent and 8 of its 24 bits. So a float is the sum of three of them, exactly,
 *
 *      x = x0 + x1 + x2         x0: the first 8 bits of x, x1: of what is left, x2: the rest
 *
 * and a product of floats is six products of pieces, with one part in 2^24 left out, as rounding does:
 *
 *      a b = a0 b0 + (a0 b1 + a1 b0) + (a0 b2 + a1 b1 + a2 b0)
 *
 * Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for higher-precision
 * computations" (2019). The unit sums 32 steps by themselves before it adds them to C, so that the whole is nearer
 * to the true sum than one float's multiply-adds in a row. It takes numbers below 2^-126 for 0, and an infinity,
 * which has no pieces, is looked after by itself (kernels/amx/gemm_bf16.c).
 *
 * So matrices with short rows are multiplied. Those with long ones, and those of attention, become integers
 * (kernels/amx/tile_int8.h), in half the time. */
#ifndef GRADUS_KERNELS_AMX_H
#define GRADUS_KERNELS_AMX_H

#include "tensor/kernels/simd/simd.h"

enum {
    PIECES = 3,
    REG = 16,                            /* rows of a register, and lanes of 4 bytes in a row */
    STEPS = 32,                          /* of k in a register: a lane holds steps l and l + REG */
    PANEL = 2 * REG,                     /* rows of A, or columns of B, in a panel */
    REG_BYTES = REG * REG * 4,           /* of a register */
    STEP_BYTES = 2 * PIECES * REG_BYTES, /* of a panel's STEPS: two registers of each piece */
};

/* Which lanes of a register are what: A's rows are the register's rows; B's columns are its lanes. */
typedef enum { SIDE_A, SIDE_B } Side;

/* A matrix as panels of pieces: row r of `rows` (columns, of B) and step l of `steps` stand at x[r * row + l * step].
 * Panel i begins at to + i * next; what lies beyond the matrix is 0. False if a number is not finite. */
bool amx_pack(unsigned char *to, int64_t next, Side side, const float *x, int64_t row, int64_t step,
              int64_t rows, int64_t steps);

/* At most REG rows and REG steps, copied: element (r, l) from x[r * row + l * step] to to[r * to_row + l * to_step].
 * One of to_row and to_step is 1; there, up to REG numbers are written, zeros behind what is there. */
void amx_gather(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                int64_t step, int64_t rows, int64_t steps);

/* C (m, n) = from + A B, of panels of so many steps, rounded up to STEPS. Strides of `from` may be 0. */
typedef struct {
    int64_t m, n, steps;
    const unsigned char *a, *b;
    int64_t a_next, b_next;
    float *c;
    int64_t c_row, c_column;
    const float *from; /* what C starts from: NULL for zeros, C itself to add, or a bias */
    int64_t from_row, from_column;
} AmxProduct;

void amx_product(const AmxProduct *p);

/* Bytes of a panel of so many steps. */
static inline int64_t amx_panel_bytes(int64_t steps)
{
    return (steps + STEPS - 1) / STEPS * STEP_BYTES;
}

/* The registers' shapes, for the calling thread, until amx_end: an idle unit costs a thread that is put aside time. */
void amx_begin(void);
void amx_end(void);

#endif
