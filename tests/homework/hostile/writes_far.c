/* Writes far outside of its arrays.
 * gets: 8
 * allowed: 8
 * says: It crashed
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (long i = 0; i < 1L << 40; i += 4096)
        c[i] = 0;
}
