/* A name that only the preprocessor knows.
 * gets: 0
 * allowed: 0
 * says: only "hw1.h" and the headers of the C standard can be included
 */
#include "hw1.h"

#define NAME "tests.c"
#include NAME

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
