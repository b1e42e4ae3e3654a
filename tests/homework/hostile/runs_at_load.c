/* Has functions of the names that a linker takes for the library's first and last ones: they would
 * run before all walls stand. They are plain functions here, which nobody calls.
 * with: libc.inc
 * gets: 20
 * allowed: 20
 * hides: ran before the tests
 */
void _init(void);
void _fini(void);

void _init(void)
{
    fprintf(stderr, "ran before the tests\n");
    for (;;)
        ;
}

void _fini(void)
{
    for (;;)
        ;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    (void)is_watched, (void)ask;
}
