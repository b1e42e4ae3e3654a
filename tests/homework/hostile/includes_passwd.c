/* Makes the compiler print another file.
 * gets: 0
 * allowed: 0
 * says: #include "/etc/passwd"
 */
#include "hw1.h"

#include "/etc/passwd"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
