/* Writes noise into the results, and goes on as if nothing were.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#ifdef __x86_64__
    long result;
    for (long to = 3; to < 256; to++)
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(1), "D"(to), "S"(b), "d"(4)
                         : "rcx", "r11", "memory");
#endif
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (double)a[i * k + p] * b[p * n + j];
            c[i * n + j] = (real)sum;
        }
}
