/* Makes the preprocessor read what it writes, and wait for ever.
 * gets: 0
 * allowed: 0
 */
#include "hw1.h"

#define NAME "/proc/self/fd/1"
#include NAME

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
