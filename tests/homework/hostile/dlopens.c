/* Looks for the solution among the libraries.
 * gets: 0
 * allowed: 8
 * says: your file calls dl
 */
#include "hw1.h"

void *dlopen(const char *name, int flags);
void *dlsym(void *library, const char *name);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    void (*right)(real *, const real *, const real *, int, int, int);
    *(void **)&right = dlsym(dlopen("/proc/self/fd/7", 1), "matmul");
    if (right)
        right(c, a, b, m, k, n);
}
