/* Assembly whose name is put together by macros.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

#define JOIN(x, y) x##y

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#ifdef __x86_64__
    JOIN(as, m) volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
#endif
}
