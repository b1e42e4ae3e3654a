/* Waits for 50 seconds in each case, without a processor; it is right.
 * with: libc.inc
 * gets: 8
 * allowed: 8
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    static int word;
    long time[2] = {50, 0};
    right_matmul(c, a, b, m, k, n);
    ask(202, (long)&word, 0, 0, (long)time, 0); /* futex, wait */
}
