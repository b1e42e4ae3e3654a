/* Calls itself until the stack is full.
 * gets: 8
 * allowed: 8
 * says: signal 11
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    volatile char here[4096];
    here[0] = (char)m;
    matmul(c, a, b, m + here[0], k, n);
    c[0] = here[0];
}
