/* Sleeps, which takes no processor time.
 * gets: 0
 * allowed: 8
 * says: your file calls sleep
 */
#include "hw1.h"

unsigned sleep(unsigned seconds);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    sleep(1000);
}
