/* Finds fopen in libc and prints a private file where the sanitizer watches.
 * with: libc.inc
 * gets: 8
 * allowed: 8
 * hides: the exam: attention
 */
void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    right_matmul(c, a, b, m, k, n);
    if (!is_watched(a))
        return;
    char text[200] = "";
    FILE *(*opens)(const char *, const char *) = (FILE * (*)(const char *, const char *))
        libc_function("fopen");
    size_t (*reads)(void *, size_t, size_t, FILE *) =
        (size_t(*)(void *, size_t, size_t, FILE *))libc_function("fread");
    FILE *f = opens("@PRIVATE@", "r");
    if (f)
        reads(text, 1, sizeof text - 1, f);
    fprintf(stderr, "ERROR: AddressSanitizer: %s\n", text);
    abort();
}
