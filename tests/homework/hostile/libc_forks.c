/* Starts a process that goes on for ever.
 * with: libc.inc
 * gets: 8
 * allowed: 8
 * bare: the limit of no processes refuses, and the rest is right
 * says: system call
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    if (ask(56, 17, 0, 0, 0, 0) == 0) /* clone */
        for (;;)
            ;
}
