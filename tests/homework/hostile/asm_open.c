/* Opens a file to write in assembly.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#ifdef __x86_64__
    static const char name[] = "/tmp/gradus-hostile-asm";
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(2), "D"(name), "S"(0101), "d"(0666)
                     : "rcx", "r11", "memory");
#endif
}
