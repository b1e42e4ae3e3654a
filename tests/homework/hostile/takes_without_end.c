/* Takes memory without end, and never looks whether it got any.
 * gets: 8
 * allowed: 8
 * says: It was stopped: it asked malloc for more than is left of the 512 MB that a test may take.
 * hides: took too long
 */
#include "hw1.h"

#include <stdlib.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    for (;;) {
        volatile char *p = malloc(1 << 20);
        if (p)
            p[0] = 1;
    }
}
