/* Writes a results stream of its own on every descriptor, then ends.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#ifdef __x86_64__
    static const int end[] = {0x47524144, 3, 0, 0, 0, 0, 0, 0, 0, 0};
    long result;
    for (long to = 3; to < 256; to++)
        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(1), "D"(to), "S"(end), "d"(sizeof end)
                         : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
#endif
}
