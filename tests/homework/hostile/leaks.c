/* Right numbers, but the memory is never given back.
 * gets: 18
 * allowed: 18
 * says: not given back
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
    void *volatile p = malloc(100);
    (void)p;
}
