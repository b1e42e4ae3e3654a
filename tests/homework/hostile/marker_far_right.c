/* Says far to the right that what follows is from a header, where assembly is not looked for.
 * gets: 0
 * allowed: 0
 */
#include "hw1.h"

#                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        1 "/usr/include/math.h" 3
static inline long ask(long call, long a, long b, long c)
{
    long result = 0;
#ifdef __x86_64__
    __asm__ volatile("syscall" : "=a"(result) : "a"(call), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#endif
    return result;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    ask(2, (long)"/tmp/gradus-hostile-marker", 0101, 0666);
}
