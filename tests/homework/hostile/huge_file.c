/* Fills the disk.
 * gets: 0
 * allowed: 8
 * says: your file calls fopen
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    static char block[1 << 20];
    FILE *f = fopen("/tmp/gradus-hostile-file", "w");
    for (int i = 0; f && i < 100000; i++)
        fwrite(block, 1, sizeof block, f);
}
