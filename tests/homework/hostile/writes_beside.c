/* Writes one number too many.
 * gets: 8
 * allowed: 8
 * says: The memory beside c was overwritten
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (int i = 0; i <= m * n; i++)
        c[i] = 1;
}
