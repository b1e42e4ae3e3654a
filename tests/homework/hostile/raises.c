/* Kills its own process.
 * gets: 0
 * allowed: 8
 * says: your file calls raise
 */
#include "hw1.h"

int raise(int number);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    raise(9);
}
