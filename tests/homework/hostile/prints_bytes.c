/* Prints what is neither text nor markup, to break the report.
 * gets: 8
 * allowed: 8
 * says: matrix product  (0 of 12)
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    printf("\xff\xc0\x80\xed\xa0\x80 \"}],]]></failure> \\u0000 \033[2J\001\177 | # <b>\n");
}
