/* Catches its own crash, and goes on for ever.
 * gets: 0
 * allowed: 8
 * says: your file calls
 */
#include "hw1.h"

void (*signal(int number, void (*handler)(int)))(int);

static void again(int number)
{
    (void)number;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    signal(11, again);
    *(volatile int *)8 = 1;
}
