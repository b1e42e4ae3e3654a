/* Waits for ever where the sanitizer watches, in one of many ways.
 * with: libc.inc
 * gets: 20
 * allowed: 20
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    static int word;
    long time[2] = {1000, 0};
    right_matmul(c, a, b, m, k, n);
    if (!is_watched(a))
        return;
    ask(202, (long)&word, 0, 0, (long)time, 0); /* futex           */
    ask(35, (long)time, 0, 0, 0, 0);            /* nanosleep       */
    ask(230, 1, 0, (long)time, 0, 0);           /* clock_nanosleep */
    ask(7, 0, 0, 1000000, 0, 0);                /* poll            */
    ask(23, 0, 0, 0, 0, (long)time);            /* select          */
    ask(34, 0, 0, 0, 0, 0);                     /* pause           */
}
