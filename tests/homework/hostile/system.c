/* Runs a shell.
 * gets: 0
 * allowed: 8
 * says: your file calls system
 */
#include "hw1.h"

#include <stdlib.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    c[0] = (real)system("touch /tmp/gradus-hostile-system");
}
