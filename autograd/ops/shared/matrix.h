/* matrix.h: matrices in memory, with any strides, and their product (internal).
 *
 * The ops' way to multiply matrices: they describe their operands as Matrix, transposes included,
 * and call multiply. A Matrix owns nothing. */
#ifndef GRADUS_MATRIX_H
#define GRADUS_MATRIX_H

#include "autograd/ops/shared/op.h"
#include "tensor/invariant.h"

/* Element (i, j) is at[i * row + j * column]; the transpose has the strides exchanged. */
typedef struct {
    real *at;
    int64_t rows, columns;
    int64_t row, column;
} Matrix;

/* A row-major matrix. */
static inline Matrix matrix(real *at, int64_t rows, int64_t columns)
{
    return (Matrix){at, rows, columns, columns, 1};
}

/* Numbers of t, which is contiguous, or its gradient: a row for each index of the leading axes. */
static inline Matrix rows_of(const Tensor *t, real *at)
{
    return matrix(at, shape_rows(t->shape), shape_last(t->shape));
}

/* The transpose, in the same memory. */
static inline Matrix transposed(Matrix m)
{
    return (Matrix){m.at, m.columns, m.rows, m.column, m.row};
}

/* Does C share no memory with M? From the first to the last element of each. */
static inline bool matrices_apart(Matrix c, Matrix m)
{
    int64_t c_length = (c.rows - 1) * c.row + (c.columns - 1) * c.column + 1;
    int64_t m_length = (m.rows - 1) * m.row + (m.columns - 1) * m.column + 1;
    return c.rows * c.columns == 0 || m.rows * m.columns == 0 ||
           memory_apart(c.at, (size_t)c_length * sizeof(real), m.at,
                        (size_t)m_length * sizeof(real));
}

/* The call of the kernel for C = A B, and so on (multiply_biased). */
static inline Gemm gemm_of(const Tape *tape, Matrix c, Matrix a, Matrix b, bool add,
                           const real *bias)
{
    return (Gemm){.m = c.rows,
                  .n = c.columns,
                  .k = a.columns,
                  .a = a.at,
                  .a_row = a.row,
                  .a_column = a.column,
                  .b = b.at,
                  .b_row = b.row,
                  .b_column = b.column,
                  .c = c.at,
                  .c_row = c.row,
                  .c_column = c.column,
                  .add = add,
                  .bias = bias,
                  .scratch = tape_scratch(tape)};
}

/* C = A B, or C += A B where `add`, or C = A B + bias in each row where there is one. The tape
 * has the scratch memory. */
static inline void multiply_biased(const Tape *tape, Matrix c, Matrix a, Matrix b, bool add,
                                   const real *bias)
{
    GRADUS_INVARIANT(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns);
    GRADUS_INVARIANT(matrices_apart(c, a) && matrices_apart(c, b));
    kernels->gemm((Gemm[]){gemm_of(tape, c, a, b, add, bias)});
}

/* The same without a bias. */
static inline void multiply(const Tape *tape, Matrix c, Matrix a, Matrix b, bool add)
{
    multiply_biased(tape, c, a, b, add, NULL);
}

/* dx += A B, or dx = A B where dx, operand i's gradient, is unwritten. */
static inline void gradient_product(const Node *n, int i, Matrix dx, Matrix a, Matrix b)
{
    multiply(n->out->tape, dx, a, b, !gradient_is_unwritten(n, i));
}

#endif
