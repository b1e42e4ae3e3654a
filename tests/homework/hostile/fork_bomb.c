/* Becomes as many processes as it can.
 * gets: 0
 * allowed: 8
 * says: your file calls fork
 */
#include "hw1.h"

int fork(void);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (int i = 0; i < 100000; i++)
        if (fork() == 0)
            i = 0;
}
