/* Asks to be called at the end.
 * gets: 0
 * allowed: 8
 * says: your file calls atexit
 */
#include "hw1.h"

#include <stdlib.h>

static void late(void)
{
    for (;;)
        ;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    atexit(late);
}
