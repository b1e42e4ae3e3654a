/* Never ends.
 * gets: 8
 * allowed: 8
 * says: It took too long
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (volatile int i = 0;; i = !i)
        ;
}
