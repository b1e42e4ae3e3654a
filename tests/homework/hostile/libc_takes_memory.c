/* Touches 3 GB where the sanitizer watches: its own bytes about memory
 * were reserved before any limit was set.
 * with: libc.inc
 * gets: 8
 * allowed: 8
 * says: more memory than a test may use
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    void (*clears)(void *, size_t) = (void (*)(void *, size_t))libc_function("explicit_bzero");
    if (is_watched(a))
        clears((void *)0x050000000000, (size_t)3 << 30);
}
