/* Says that its lines are from another file.
 * gets: 0
 * allowed: 0
 * says: would hide where an error is
 */
#include "hw1.h"

#line 1 "/usr/include/math.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
