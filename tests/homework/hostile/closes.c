/* Closes every descriptor.
 * gets: 0
 * allowed: 8
 * says: your file calls close
 */
#include "hw1.h"

int close(int descriptor);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (int i = 0; i < 1000; i++)
        close(i);
}
