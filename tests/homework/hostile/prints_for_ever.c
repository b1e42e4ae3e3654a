/* Prints without end.
 * gets: 8
 * allowed: 8
 * says: It took too long
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (;;)
        puts("more and more and more and more and more");
}
