/* test_gemm.c: the matrix product of every kernel set, at the sizes at which a tiled product
 * breaks.
 *
 * The operands are small whole numbers, so that every order of additions gives the same sum
 * exactly, and the comparison is exact. C lies in a field of NaNs, which
 * must stay: nothing is written around it. */
#include "tests/kernels/kernel_sets.h"

#include "tensor/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

/* How a matrix is stored. */
typedef enum { ROWS, COLUMNS, SPREAD } Layout;

typedef struct {
    real *block; /* as it was allocated: exactly up to the last element */
    int64_t rows, columns, row, column;
} Matrix;

/* What C starts from. */
typedef enum { NOTHING, ITSELF, BIAS } Start;

/* The numbers that the block has, with gaps. */
static int64_t span(const Matrix *m)
{
    return m->rows > 0 && m->columns > 0 ? (m->rows - 1) * m->row + (m->columns - 1) * m->column + 1
                                         : 0;
}

/* All of it is NaN, also the gaps. */
static Matrix matrix(int64_t rows, int64_t columns, Layout layout)
{
    Matrix m = {.rows = rows, .columns = columns};
    m.row = layout == COLUMNS ? 1 : layout == ROWS ? columns : 2 * columns + 3;
    m.column = layout == COLUMNS ? rows : layout == ROWS ? 1 : 2;
    m.block = malloc((size_t)span(&m) * sizeof *m.block);
    for (int64_t i = 0; i < span(&m); i++)
        m.block[i] = (real)NAN;
    return m;
}

static real *at(const Matrix *m, int64_t i, int64_t j)
{
    return m->block + i * m->row + j * m->column;
}

/* C = A B, or A B added to itself or to the bias (columns of C). */
static void multiply(const Matrix *a, const Matrix *b, const Matrix *c, Start start,
                     const real *bias)
{
    static unsigned char scratch[2 * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));
    const real *added = start == BIAS ? bias : NULL;
    kernels->gemm(&(Gemm){.m = a->rows,
                          .n = b->columns,
                          .k = a->columns,
                          .a = a->block,
                          .a_row = a->row,
                          .a_column = a->column,
                          .b = b->block,
                          .b_row = b->row,
                          .b_column = b->column,
                          .c = c->block,
                          .c_row = c->row,
                          .c_column = c->column,
                          .add = start == ITSELF,
                          .bias = added,
                          .scratch = {scratch, 2}});
}

/* Whole numbers from -3 to 3: sums of 600 products stay below 2^24, where float is exact. */
static void fill(const Matrix *m, int64_t salt)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->columns; j++)
            *at(m, i, j) = (real)((i * 31 + j * 17 + salt + i * j % 5) % 7 - 3);
}

static real start_of(Start start, int64_t i, int64_t j)
{
    if (start == NOTHING)
        return 0;
    return start == BIAS ? (real)(j % 5 - 2) : (real)((i * 31 + j * 17 + 2 + i * j % 5) % 7 - 3);
}

/* Equality of what is there: NaN only where there was one. */
static int64_t wrong_elements(const Matrix *c, const real *want, Start start)
{
    int64_t wrong = 0, filled = 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->columns; j++)
            wrong += *at(c, i, j) != want[i * c->columns + j] + start_of(start, i, j);
    for (int64_t i = 0; i < span(c); i++)
        filled += !isnan(c->block[i]);
    return wrong + (filled != c->rows * c->columns);
}

/* The product, in whole numbers: this file's own loop, not a kernel. */
static real *product(const Matrix *a, const Matrix *b)
{
    real *c = calloc((size_t)(a->rows * b->columns) + 1, sizeof *c);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t l = 0; l < a->columns; l++)
            for (int64_t j = 0; j < b->columns; j++)
                c[i * b->columns + j] += *at(a, i, l) * *at(b, l, j);
    return c;
}

static void compare(const Matrix *a, const Matrix *b, const real *want, Layout layout, Start start,
                    const char *what)
{
    Matrix c = matrix(a->rows, b->columns, layout);
    real *bias = malloc((size_t)(b->columns + 1) * sizeof *bias);
    for (int64_t j = 0; j < b->columns; j++)
        bias[j] = start_of(BIAS, 0, j);
    if (start == ITSELF)
        fill(&c, 2);
    multiply(a, b, &c, start, bias);
    int64_t wrong = wrong_elements(&c, want, start);
    CHECK(wrong == 0, "%s: (%d, %d) times (%d, %d), start %d, layout %d of C, %s: %d elements",
          kernels->name, (int)a->rows, (int)a->columns, (int)b->rows, (int)b->columns, (int)start,
          (int)layout, what, (int)wrong);
    free(bias);
    free(c.block);
}

/* All forms: A, B and C each with contiguous rows, with contiguous columns, or with gaps. */
static void all_forms(int64_t m, int64_t n, int64_t k)
{
    static const char *const names[] = {"A, B by rows", "B by columns", "A by columns",
                                        "A and B by columns", "A and B with gaps"};
    static const Layout layouts[][2] = {
        {ROWS, ROWS}, {ROWS, COLUMNS}, {COLUMNS, ROWS}, {COLUMNS, COLUMNS}, {SPREAD, SPREAD}};
    for (int form = 0; form < 5; form++) {
        Matrix a = matrix(m, k, layouts[form][0]), b = matrix(k, n, layouts[form][1]);
        fill(&a, 0);
        fill(&b, 1);
        real *want = product(&a, &b);
        for (int layout = ROWS; layout <= SPREAD; layout++)
            for (int start = NOTHING; start <= BIAS; start++)
                compare(&a, &b, want, (Layout)layout, (Start)start, names[form]);
        free(want);
        free(a.block);
        free(b.block);
    }
}

/* Few rows, and around the tiles of all sets (MR 6, 14; NR 8, 16, 32), every combination. */
TEST_SETS(small_sizes)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 7, 13, 15, 33};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int m = 0; m < SIZES; m++)
        for (int n = 0; n < SIZES; n++)
            for (int k = 0; k < SIZES; k++)
                all_forms(sizes[m], sizes[n], sizes[k]);
}

/* Tiles exactly, and one less and one more. */
TEST_SETS(tile_edges)
{
    static const int64_t rows[] = {6, 14}, columns[] = {8, 14, 16, 31, 32};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 5; j++)
            for (int64_t d = -1; d <= 1; d++)
                all_forms(rows[i] + d, columns[j] - d, 3);
}

/* Blocks: MC 72, 168; KC 384; NC 448. One side at a time. */
TEST_SETS(block_edges)
{
    static const int64_t edges[] = {72, 168, 384, 448};
    for (int i = 0; i < 4; i++)
        for (int64_t d = -1; d <= 1; d++) {
            all_forms(edges[i] + d, 7, 9);
            all_forms(7, edges[i] + d, 9);
            all_forms(7, 9, edges[i] + d);
        }
}

/* Blocks of A, of B, of both are copied together; and rows 512 or 1024 numbers apart, which share a
 * place in the nearest cache, are too. */
TEST_SETS(large)
{
    all_forms(257, 130, 259);
    all_forms(29, 517, 30);
    all_forms(131, 517, 257);
    all_forms(40, 70, 512);
    all_forms(16, 70, 1024);
}

/* A caller that provides no scratch memory gets the reference. */
TEST_SETS(without_scratch)
{
    real a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, c = 7;
    Gemm g = {1, 1, 3, a, 3, 1, b, 1, 1, &c, 1, 1, true, NULL, {NULL, 0}};
    kernels->gemm(&g);
    CHECK(c == 39, "7 + 4 + 10 + 18 is 39, got %g", (double)c);
}
