/* Asks the preprocessor whether a file of the grading user's is there.
 * gets: 0
 * allowed: 0
 * says: __has_include
 * hides: the file is there
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
#if __has_include("@PRIVATE@")
    printf("the file is there\n");
#endif
}
