/* slices.h: products in units that multiply bfloat16 (internal).
 *
 * Intel's AMX has eight registers of 16 rows of 64 bytes, and an instruction, TDPBF16PS, that
 * multiplies two of them, of bfloat16, and adds the products to a register of floats: sixteen times
 * as fast as AVX-512 multiplies floats. A bfloat16 is the upper half of a float: its sign, its
 * exponent and 8 of its 24 significant bits. So a float is the sum of three bfloat16 slices, and a
 * product of floats the sum of six products of slices:
 *
 *      x = x0 + x1 + x2       x0: x rounded to 8 bits, x1: the remainder rounded, x2: the rest
 *
 *      a b = a0 b0 + (a0 b1 + a1 b0) + (a0 b2 + a1 b1 + a2 b0)     less a1 b2 + a2 b1 + a2 b2
 *
 * Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for
 * higher-precision computations" (2019).
 *
 * The error. For 2^e <= |x| < 2^(e+1), |x1| <= 2^(e-8) and |x2| <= 2^(e-17), so that the products
 * left out are at most 2^-24 |a b|, like a rounding. The unit multiplies two slices exactly (16
 * bits), adds 16 products one after the other, adds two such sums, and adds that to its register.
 * PACKED_STEPS steps are summed there, six products for each 32, and then added to C, so that a
 * term takes part in at most 17 + 6 PACKED_STEPS / 32 + k / PACKED_STEPS additions, each with an
 * error of 2^-24 of the sum of the absolute values so far. The absolute values of the slices add up
 * to at most 1.01 |x|. To first order,
 *
 *      |C - A B| <= (44 + k / 128) 2^-24 |A| |B|           element by element
 *
 * where consecutive sums of floats have k 2^-24 |A| |B| (Higham, "Accuracy and stability of
 * numerical algorithms", 2002, 3.1). The errors measured are a tenth of that
 * (tests/bench/EXACTNESS.md).
 *
 * Exact, as in floats, are products of one-hot rows, and sums of products of whole numbers or of
 * powers of two: where the products are multiples of a unit and |A| |B| is below 2^23 units, those
 * of slices are multiples of it, too, no addition rounds, and none of the products left out can be
 * other than 0: |a b| would be above 2^24 units. A one-hot row adds x2, x1 and x0 in an order in
 * which each partial sum is a float.
 *
 * Small numbers. The unit takes operands below 2^-126 (denormal) for 0, and makes sums below that
 * 0. So a number below 2^-103 loses those of its slices that are denormal, less than 2^-125 in all,
 * one that rounds to a denormal bfloat16 counts as 0, and each of fewer than 7 k additions may be
 * off by 2^-126. Beside the bound above, an element may be off by
 *
 *      2^-125 sum over l of (|a_l| + |b_l| + 4)
 *
 * NaN, infinities, and what would round to infinity (NO_SLICES and more) have no slices: infinity
 * times a slice that is 0 would be NaN. They are packed as 0, and packing says that it met one;
 * then their products are added in floats (kernels/amx/gemm.c), or the whole product of a tile is
 * computed in floats (kernels/amx/attention.c). */
#ifndef GRADUS_KERNELS_AMX_SLICES_H
#define GRADUS_KERNELS_AMX_SLICES_H

#include "tensor/kernels/simd/simd.h"

/* The folder is compiled once for each unit, UNIT, whose name its functions carry. */
#define UNIT_NAME(name)         UNIT_NAME_(name, UNIT)
#define UNIT_NAME_(name, unit)  UNIT_NAME__(name, unit)
#define UNIT_NAME__(name, unit) name##_##unit

enum {
    SLICES = 3,         /* of a float; packing and multiplying also take 1: x rounded to bfloat16 */
    TILE_ROWS = 16,     /* rows of a tile register, and 4-byte lanes of a row */
    TILE_STEPS = 32,    /* steps in a tile register: a lane holds the steps l and l + TILE_ROWS */
    TILE_BYTES = 1024,  /* of a tile register */
    PACKED_STEPS = 128, /* at most, in a product of matrices: a panel is 24 KiB */
    PANEL = 32,         /* rows of A, or columns of B, in a panel: two tile registers */
};

/* Which index of a tile register is what: A's rows are the rows of the register, B's columns are
 * its lanes. */
typedef enum { SIDE_A, SIDE_B } Side;

/* A factor of a product in memory: row r of A (column, of B) has its step l at
 * x[r * row + l * step]. */
typedef struct {
    const float *x;
    int64_t row, step, rows, steps;
} Factor;

/* The bytes of so many steps, rounded up to TILE_STEPS, of a panel: for each TILE_STEPS two
 * registers of each slice. */
static inline int64_t panel_bytes(int64_t steps, int slices)
{
    return (steps + TILE_STEPS - 1) / TILE_STEPS * 2 * slices * TILE_BYTES;
}

/* The bytes of all panels of a factor. */
static inline int64_t packed_bytes(int64_t rows, int64_t steps, int slices)
{
    return (rows + PANEL - 1) / PANEL * panel_bytes(steps, slices);
}

/* Numbers of at least this absolute value round to infinity in bfloat16. */
#define NO_SLICES 0x1.ffp127f

/* Slices a factor into panels of PANEL rows, one after the other; beyond its end they are 0. True
 * if all elements have slices; of three slices, those of the others are 0. `to` is aligned to
 * 64. */
bool UNIT_NAME(pack)(unsigned char *to, Side side, const Factor *f, int slices);

/* C (m, n) = A B + from, of panels a_next and b_next bytes apart. The products of so many steps are
 * summed first. */
typedef struct {
    int64_t m, n, steps;
    int slices;
    const unsigned char *a, *b;
    int64_t a_next, b_next;
    float *c;
    int64_t c_row, c_column;
    const float *from; /* NULL for zeros, C itself to add to it, or a bias */
    int64_t from_row, from_column;
} TileProduct;

/* Computes the product in the calling thread, between unit_begin and unit_end. */
void UNIT_NAME(multiply)(const TileProduct *p);

/* ---- a unit ------------------------------------------------------- tiles.c, dot_products.c -- */

/* Prepares the unit for the calling thread until unit_end. A tile unit that is configured makes
 * context switches slower. */
void UNIT_NAME(unit_begin)(void);
void UNIT_NAME(unit_end)(void);

/* Does the unit multiply so many slices faster than AVX-512 multiplies floats? */
bool UNIT_NAME(unit_multiplies)(int slices);

/* At most PANEL rows and columns of C: where they are, and the panels that they are the product
 * of. */
typedef struct {
    int64_t rows, columns;
    const unsigned char *a, *b;
    float *c;
    const float *from;
} TileOfC;

/* The sums of the tile's products, (PANEL, PANEL), of which at least its rows and columns are
 * written. */
void UNIT_NAME(unit_sum)(float *sum, const TileProduct *p, const TileOfC *t);

#endif
