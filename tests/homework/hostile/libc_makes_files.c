/* Leaves files and a folder where the sanitizer watches.
 * with: libc.inc
 * gets: 20
 * allowed: 20
 * bare: its user may make files
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    if (!is_watched(a))
        return;
    ask(133, (long)"/tmp/gradus-hostile-node", 0100666, 0, 0, 0);            /* mknod       */
    ask(259, -100, (long)"/tmp/gradus-hostile-nodeat", 0100666, 0, 0);       /* mknodat     */
    ask(83, (long)"/tmp/gradus-hostile-folder", 0777, 0, 0, 0);              /* mkdir       */
    ask(257, -100, (long)"/tmp/gradus-hostile-file", 0101, 0666, 0);         /* openat      */
    ask(437, -100, (long)"/tmp/gradus-hostile-file2", (long)"AAAA", 24, 0);  /* openat2     */
    ask(86, (long)"@VICTIM@", (long)"/tmp/gradus-hostile-link", 0, 0, 0);    /* link        */
    ask(425, 8, (long)(char[120]){0}, 0, 0, 0);                              /* io_uring    */
    ask(319, (long)"hostile", 0, 0, 0, 0);                                   /* memfd       */
}
