/* Leaves the function by a jump to nowhere.
 * gets: 0
 * allowed: 8
 * says: your file calls
 */
#include "hw1.h"

#include <string.h>

void longjmp(void *where, int value) __attribute__((noreturn));
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    static long here[64];
    memset(here, 0x41, sizeof here);
    longjmp(here, 1);
}
