/* Becomes two processes, which both go on.
 * gets: 0
 * allowed: 8
 * says: your file calls fork
 */
#include "hw1.h"

int fork(void);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    fork();
}
