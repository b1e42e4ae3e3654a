/* A terabyte before the program begins.
 * gets: 0
 * allowed: 0
 * says: It could not be loaded
 */
#include "hw1.h"

static volatile char big[1L << 40];

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    big[m] = 1;
    c[0] = big[n];
}
