/* Reads beyond an input, in a function that the sanitizer is told to leave alone.
 * gets: 0
 * allowed: 0
 * says: the sanitizer must not be switched off
 */
#include "hw1.h"

__attribute__((no_sanitize("address", "undefined"))) static real beyond(const real *a, int count)
{
    return a[count];
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    volatile real unused = beyond(a, m * k);
    (void)unused;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (double)a[i * k + p] * b[p * n + j];
            c[i * n + j] = (real)sum;
        }
}
