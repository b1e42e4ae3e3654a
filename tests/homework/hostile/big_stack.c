/* An array on the stack that no stack can hold.
 * gets: 8
 * allowed: 8
 * says: signal 11
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    volatile char big[1 << 28];
    for (int i = 0; i < 1 << 28; i += 4096)
        big[i] = 1;
    c[0] = big[4096];
}
