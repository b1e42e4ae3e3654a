/* Takes memory as long as there is any, and never gives it back.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

#include <stdlib.h>
#include <string.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    char *p;
    for (int i = 0; i < 100000 && (p = malloc(1 << 20)); i++)
        memset(p, i, 1 << 20);
}
