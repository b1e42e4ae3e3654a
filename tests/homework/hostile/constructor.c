/* Code that runs before the tests, and ends the program.
 * gets: 0
 * allowed: 0
 * says: code that runs before the tests
 */
#include "hw1.h"

#include <stdlib.h>

__attribute__((constructor)) static void early(void)
{
    exit(0);
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
