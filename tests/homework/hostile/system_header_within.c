/* Reaches a header of the system that is not allowed through the path of one that is.
 * gets: 0
 * allowed: 0
 * says: only "hw1.h" and the headers of the C standard can be included
 */
#include "hw1.h"

#include "/usr/include/../include/unistd.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
