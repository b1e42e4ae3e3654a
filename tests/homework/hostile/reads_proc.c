/* Looks for the solution in its own process.
 * gets: 0
 * allowed: 8
 * says: your file calls fopen
 */
#include "hw1.h"

#include <stdio.h>

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    char line[256];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        printf("%s", line);
    if (f)
        fclose(f);
}
