/* Code that runs after the tests.
 * gets: 0
 * allowed: 8
 * says: code that runs before the tests
 */
#include "hw1.h"

#include <stdio.h>

__attribute__((destructor)) static void late(void)
{
    printf("ok\n");
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
