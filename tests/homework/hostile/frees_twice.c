/* Gives its memory back twice.
 * gets: 8
 * allowed: 8
 * says: a second time
 */
#include "hw1.h"

#include <stdlib.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (double)a[i * k + p] * b[p * n + j];
            c[i * n + j] = (real)sum;
        }
    void *p = malloc(10);
    void *volatile q = p;
    free(p);
    free(q);
}
