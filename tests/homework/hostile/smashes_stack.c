/* Writes over its own return address.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    volatile long small[1];
    for (volatile int i = 0; i < 64; i++)
        small[i] = 0x41414141;
    c[0] = (real)small[0];
}
