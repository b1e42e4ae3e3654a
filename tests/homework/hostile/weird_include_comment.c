/* An include that is cut by a comment and a line's end.
 * gets: 0
 * allowed: 0
 * says: #include
 */
#include "hw1.h"

#/* so */ inc\
lude "/etc/hostname"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
