/* The same, with brackets of the attribute that a blank or a digraph hides.
 * gets: 0
 * allowed: 0
 * says: the sanitizer must not be switched off
 */
#include "hw1.h"

#include <stdlib.h>

[ [gnu::no_sanitize_address]] static real beyond(const real *a, int n)
{
    return a[n];
}

<:<:gnu::no_sanitize_undefined:>:> void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    volatile real unused = beyond(a, m * k);
    (void)unused;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (double)(a[i * k + p] * b[p * n + j]);
            c[i * n + j] = (real)sum;
        }
}
