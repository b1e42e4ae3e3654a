/* An initialised array that makes a file of a gigabyte.
 * gets: 0
 * allowed: 0
 * says: It was not run
 */
#include "hw1.h"

volatile int big[1 << 28] = {1};

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    c[0] = (real)big[m];
}
