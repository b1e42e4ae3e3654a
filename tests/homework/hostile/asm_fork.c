/* Forks in assembly, where no list of names can see it.
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
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("syscall" : "=a"(result) : "a"(57) : "rcx", "r11", "memory");
#endif
}
