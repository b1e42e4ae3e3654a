/* Gives the assembler an order in the name of a symbol.
 * gets: 0
 * allowed: 0
 * hides: SOLUTION
 */
#include "hw1.h"

#include <stdio.h>

static void f(void) __attribute__((weakref("g\n.data\n.globl stolen\nstolen: .incbin \"hw1.c\"\n.byte 0\n.text")));
extern const char stolen[] __attribute__((visibility("hidden")));

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    if (f)
        f();
    printf("%.20000s", stolen);
}
