/* Kills the process that started it.
 * gets: 0
 * allowed: 8
 * says: your file calls
 */
#include "hw1.h"

int kill(int pid, int number);
int getppid(void);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    kill(getppid(), 9);
}
