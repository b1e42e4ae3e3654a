/* Has its own malloc, free and memcpy, which are wrong.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
void *malloc(size_t size)
{
    return (void *)(size + 1);
}
void free(void *p)
{
    *(volatile char *)p = 1;
}
void *memcpy(void *to, const void *from, size_t count)
{
    for (;;)
        *(volatile char *)to = *(const char *)from + (char)count;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    memcpy(c, a, 4);
    free(malloc(10));
}
