/* Gives the assembler an order in #ident, and prints the solution.
 * gets: 0
 * allowed: 0
 * hides: SOLUTION
 */
#include "hw1.h"

#include <stdio.h>

#ident "x\"\n.section .rodata\n.globl stolen\nstolen: .incbin \"hw1.c\"\n.byte 0\n.ident \"y"
extern const char stolen[] __attribute__((visibility("hidden")));

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    printf("%.20000s", stolen);
}
