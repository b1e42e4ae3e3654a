/* Puts a function among the constructors, in assembly.
 * gets: 0
 * allowed: 8
 * says: asm: assembly is not allowed
 */
#include "hw1.h"

static void early(void) __attribute__((used));
static void early(void)
{
    *(volatile int *)8 = 1;
}
#ifdef __x86_64__
__asm__(".pushsection .unknown,\"aw\"\n.quad early\n.popsection");
#endif

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
