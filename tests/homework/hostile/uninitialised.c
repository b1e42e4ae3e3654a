/* Adds to memory that was never set.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

#include <stdlib.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    real *sum = malloc(sizeof *sum * (size_t)(m * n));
    for (int i = 0; i < m * n; i++)
        c[i] = sum[i] + a[0] * b[0];
    free(sum);
}
