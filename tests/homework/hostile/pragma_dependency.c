/* Makes the compiler look at a private file's age.
 * gets: 0
 * allowed: 0
 * bare: the compiler may look at files
 */
#include "hw1.h"

_Pragma("GCC dependency \"@PRIVATE@\" here")

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
