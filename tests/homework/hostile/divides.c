/* Divides a whole number by zero.
 * gets: 8
 * allowed: 8
 * says: signal 8
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    volatile int zero = m - m;
    c[0] = (real)(n / zero);
}
