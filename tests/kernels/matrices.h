/* matrices.h: matrices in memory of exactly their size, and their product by the kernel set in
 * use. */
#ifndef GRADUS_TESTS_MATRICES_H
#define GRADUS_TESTS_MATRICES_H

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
typedef enum { NOTHING, ITSELF, BIAS, STARTS } Start;

/* The numbers that the block has, with gaps. */
static inline int64_t span(const Matrix *m)
{
    return m->rows > 0 && m->columns > 0 ? (m->rows - 1) * m->row + (m->columns - 1) * m->column + 1
                                         : 0;
}

/* All of it is NaN, also the gaps. */
static inline Matrix matrix(int64_t rows, int64_t columns, Layout layout)
{
    Matrix m = {.rows = rows, .columns = columns};
    m.row = layout == COLUMNS ? 1 : layout == ROWS ? columns : 2 * columns + 3;
    m.column = layout == COLUMNS ? rows : layout == ROWS ? 1 : 2;
    m.block = malloc((size_t)span(&m) * sizeof *m.block);
    for (int64_t i = 0; i < span(&m); i++)
        m.block[i] = (real)NAN;
    return m;
}

static inline real *at(const Matrix *m, int64_t i, int64_t j)
{
    return m->block + i * m->row + j * m->column;
}

/* C = A B, or A B added to itself or to the bias (columns of C). */
static inline void multiply(const Matrix *a, const Matrix *b, const Matrix *c, Start start,
                            const real *bias)
{
    static unsigned char scratch[2 * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));
    const real *added = start == BIAS ? bias : NULL;
    kernels->gemm(&(Gemm){a->rows,
                          b->columns,
                          a->columns,
                          a->block,
                          a->row,
                          a->column,
                          b->block,
                          b->row,
                          b->column,
                          c->block,
                          c->row,
                          c->column,
                          start == ITSELF,
                          added,
                          {scratch, 2}});
}

#endif
