/* Asks the system to end the process, in assembly.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#ifdef __x86_64__
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
#endif
}
