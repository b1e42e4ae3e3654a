/* Waits for words on the standard input.
 * gets: 0
 * allowed: 8
 * says: your file calls
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    int x;
    c[0] = (real)(scanf("%d", &x) + x);
}
