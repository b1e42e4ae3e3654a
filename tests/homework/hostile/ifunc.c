/* A function that is chosen by code that runs early.
 * gets: 0
 * allowed: 0
 * says: ifunc
 */
#include "hw1.h"

#include <stdlib.h>

static void nothing(void) {}
static void (*choose(void))(void)
{
    exit(0);
    return nothing;
}
void other(void) __attribute__((ifunc("choose")));

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    other();
}
