/* gemm.c: the matrix product, one dot product in double for each element of the result.
 *
 * The product is rounded to real once. Transposed operands need no code of their own: the strides
 * of rows and columns are exchanged. k = 0 gives the sum over nothing, 0. */
#include "tensor/kernels/ref/ref.h"

/* c_ij = sum_l a_il b_lj, added to c_ij, to bias_j or to 0.   a (m, k), b (k, n) -> c (m, n) */
void ref_gemm(const Gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const real *a = g->a + i * g->a_row, *b = g->b + j * g->b_column;
            double sum = 0;
            for (int64_t l = 0; l < g->k; l++)
                sum += (double)a[l * g->a_column] * (double)b[l * g->b_row];
            real *c = g->c + i * g->c_row + j * g->c_column;
            double start = g->add ? *c : g->bias ? g->bias[j] : 0;
            *c = (real)(start + sum);
        }
}
