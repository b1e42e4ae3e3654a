/* Includes itself twice, at each of 150 depths.
 * gets: 0
 * allowed: 0
 */
#include "hw1.h"
#if __INCLUDE_LEVEL__ < 150
#include __FILE__
#include __FILE__
#endif

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
