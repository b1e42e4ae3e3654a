/* Wants to be the debugger of the one that runs it.
 * gets: 0
 * allowed: 8
 * says: your file calls ptrace
 */
#include "hw1.h"

long ptrace(int request, int pid, void *address, void *data);
int getppid(void);

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    ptrace(16, getppid(), 0, 0);
}
