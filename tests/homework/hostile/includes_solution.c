/* The solution is somewhere near.
 * gets: 0
 * allowed: 0
 * says: #include "../hw1-tensor-ops/hw1.c"
 */
#include "hw1.h"

#include "../hw1-tensor-ops/hw1.c"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
