/* Right numbers, but it reads one number beyond the end.
 * gets: 8
 * allowed: 8
 * says: it reads 4 bytes, 0 bytes beyond the end of a block of 4 bytes. Of that size: a, b, c.
 */
#include "hw1.h"

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
    volatile real beyond = a[m * k];
    (void)beyond;
}
