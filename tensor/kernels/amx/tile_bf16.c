/* tile_bf16.c: the product of panels of bfloat16 slices in the tile unit.
 *
 *                         b 0..15   b 16..31      registers 6, 7: 16 columns of one slice of B each
 *                         [ 6 ]     [ 7 ]
 *      a 0..15   [ 4 ]    [ 0 ]     [ 1 ]         registers 4, 5: 16 rows of one slice of A each
 *      a 16..31  [ 5 ]    [ 2 ]     [ 3 ]         registers 0 to 3: 32 x 32 floats of C
 *
 * For each 32 steps, the six products of slices are ordered so that each shares one operand with
 * the product before:
 *
 *      a2 b0,  a1 b0,  a1 b1,  a0 b1,  a0 b0,  a0 b2
 *
 * 32 x 32 x 128 from the first-level cache, one thread: 414 GFLOP/s of float products, of 490 that
 * the unit reaches on such numbers (the benchmark's row peak_tiles) and 240 of AVX-512's
 * multiply-adds, on a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. On zeros it reaches 557:
 * unchanging operands need less power, which limits the clock. */
#include "tensor/kernels/amx/tile_bf16.h"

/* Palette 1: eight registers of 16 rows of 64 bytes (Intel, "Architecture Instruction Set
 * Extensions", 3.4). */
void amx_configure(void)
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

void amx_release(void)
{
    _tile_release();
}

/* The intrinsics are macros that require literal register numbers. */
#define LOAD(to, half, slice, panel) \
    _tile_loadd(to, panel + (2 * (slice) + (half)) * TILE_BYTES, 64)
#define NEXT_A(slice)                \
    LOAD(4, 0, slice, a);            \
    _tile_dpbf16ps(0, 4, 6);         \
    if (wide)                        \
        _tile_dpbf16ps(1, 4, 7);     \
    if (tall) {                      \
        LOAD(5, 1, slice, a);        \
        _tile_dpbf16ps(2, 5, 6);     \
        if (wide)                    \
            _tile_dpbf16ps(3, 5, 7); \
    }
#define NEXT_B(slice)                \
    LOAD(6, 0, slice, b);            \
    _tile_dpbf16ps(0, 4, 6);         \
    if (tall)                        \
        _tile_dpbf16ps(2, 5, 6);     \
    if (wide) {                      \
        LOAD(7, 1, slice, b);        \
        _tile_dpbf16ps(1, 4, 7);     \
        if (tall)                    \
            _tile_dpbf16ps(3, 5, 7); \
    }

/* One register tile of C: at most two by two registers, and the panels of A and B that it
 * multiplies. */
typedef struct {
    int64_t rows, columns, steps; /* at most PANEL rows and columns */
    const unsigned char *a, *b;
    float *c;
    const float *from;
    int64_t c_row, from_row;
    const float *next; /* the C of the next tile, which is prefetched */
} Tile;

/* Prefetches this step's share of the next tile's rows. */
static inline void prefetch_next(const Tile *t, int64_t step)
{
    int64_t row = PANEL * step / t->steps, end = PANEL * (step + BF16_STEPS) / t->steps;
    for (; row < end && row < PANEL; row++) {
        __builtin_prefetch(t->next + row * t->c_row, 1);
        __builtin_prefetch(t->next + row * t->c_row + TILE_ROWS, 1);
    }
}

/* One or two registers of rows and of columns: constants at every call. */
static inline __attribute__((always_inline)) void tile(bool tall, bool wide, const Tile *t)
{
    const unsigned char *a = t->a, *b = t->b;
    const float *from = t->from;
    const int64_t across = t->from_row * (int64_t)sizeof(float);
    __asm__ volatile(
        "" ::
            : "memory"); /* the unit reads the packed panels; compilers do not know it */
    if (from) {
        _tile_loadd(0, from, across);
        if (wide)
            _tile_loadd(1, from + TILE_ROWS, across);
        if (tall)
            _tile_loadd(2, from + TILE_ROWS * t->from_row, across);
        if (tall && wide)
            _tile_loadd(3, from + TILE_ROWS * t->from_row + TILE_ROWS, across);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (int64_t l = 0; l < t->steps; l += BF16_STEPS, a += BF16_STEP_BYTES, b += BF16_STEP_BYTES) {
        LOAD(6, 0, 0, b);
        if (wide)
            LOAD(7, 1, 0, b);
        NEXT_A(2)
        NEXT_A(1)
        prefetch_next(t, l);
        NEXT_B(1)
        NEXT_A(0)
        NEXT_B(0)
        NEXT_B(2)
    }
    const int64_t down = t->c_row * (int64_t)sizeof(float);
    _tile_stored(0, t->c, down);
    if (wide)
        _tile_stored(1, t->c + TILE_ROWS, down);
    if (tall)
        _tile_stored(2, t->c + TILE_ROWS * t->c_row, down);
    if (tall && wide)
        _tile_stored(3, t->c + TILE_ROWS * t->c_row + TILE_ROWS, down);
}

/* Chooses the loop for the number of registers that the tile needs. */
static __attribute__((noinline)) void tile_of_size(const Tile *t)
{
    if (t->rows > TILE_ROWS && t->columns > TILE_ROWS)
        tile(true, true, t);
    else if (t->rows > TILE_ROWS)
        tile(true, false, t);
    else if (t->columns > TILE_ROWS)
        tile(false, true, t);
    else
        tile(false, false, t);
}

/* Copies rows x columns floats between arrays that do not overlap. */
static void copy_block(float *to, int64_t to_row, int64_t to_column, const float *from,
                       int64_t from_row, int64_t from_column, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++, to += to_row, from += from_row) {
        if (to_column == 1 && from_column == 1) {
            memcpy(to, from, (size_t)columns * sizeof *to);
            continue;
        }
        for (int64_t j = 0; j < columns; j++)
            to[j * to_column] = from[j * from_column];
    }
}

/* Adds rows x columns floats of `part` to C. */
static void add_block(float *c, int64_t c_row, int64_t c_column, const float *part, int64_t rows,
                      int64_t columns)
{
    for (int64_t i = 0; i < rows; i++, c += c_row, part += PANEL) {
        if (c_column == 1)
            for (int64_t j = 0; j < columns; j++)
                c[j] += part[j];
        else
            for (int64_t j = 0; j < columns; j++)
                c[j * c_column] += part[j];
    }
}

/* A tile that is added to C, that does not fill its registers, or whose columns are not contiguous,
 * is computed in a buffer. Rows and columns beyond it are computed from packed zeros and not
 * copied. */
static void tile_buffered(const Bf16Product *p, Tile t)
{
    float part[PANEL * PANEL] __attribute__((aligned(64)));
    float *c = t.c;
    if (t.from)
        copy_block(part, PANEL, 1, t.from, p->from_row, p->from_column, t.rows, t.columns);
    t.c = part;
    t.from = t.from ? part : NULL;
    t.c_row = t.from_row = PANEL;
    tile_of_size(&t);
    if (p->add)
        add_block(c, p->c_row, p->c_column, part, t.rows, t.columns);
    else
        copy_block(c, p->c_row, p->c_column, part, PANEL, 1, t.rows, t.columns);
}

/* A panel of A stays in the first-level cache while the panels of B are read. */
void amx_multiply_bf16(const Bf16Product *p)
{
    Tile t = {.steps = p->steps, .a = p->a, .c_row = p->c_row, .from_row = p->from_row};
    for (int64_t i = 0; i < p->m; i += PANEL, t.a += p->a_next) {
        t.rows = p->m - i < PANEL ? p->m - i : PANEL;
        t.b = p->b;
        for (int64_t j = 0; j < p->n; j += PANEL, t.b += p->b_next) {
            t.columns = p->n - j < PANEL ? p->n - j : PANEL;
            t.c = p->c + i * p->c_row + j * p->c_column;
            t.next = j + PANEL < p->n ? t.c + PANEL * p->c_column : p->c + (i + PANEL) * p->c_row;
            t.from = p->from ? p->from + i * p->from_row + j * p->from_column : NULL;
            if (!p->add && t.rows % TILE_ROWS == 0 && t.columns % TILE_ROWS == 0 &&
                p->c_column == 1 && (!p->from || p->from_column == 1))
                tile_of_size(&t);
            else
                tile_buffered(p, t);
        }
    }
}
