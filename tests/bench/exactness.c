/* exactness.c: ./gradus bench --exactness, the errors of matrix products in every kernel set beside
 * PyTorch's sgemm.
 *
 * tests/kernels/exactness.h says which products and which errors. Nothing is timed. */
#include "tests/bench/bench.h"
#include "tests/kernels/exactness.h"
#include "tests/kernels/kernel_sets.h"

#include <stdlib.h>
#include <string.h>

/* The matrices of one product for exactness_sgemm.py: m, n, k in 64 bits, then A and B. */
static void dump(const char *folder, int kind, int length, const Factors *f)
{
    char path[4096];
    int named = snprintf(path, sizeof path, "%s/%02d-%d.", folder, kind, length);
    if (named >= (int)sizeof path)
        named = 0;
    snprintf(path + named, sizeof path - (size_t)named, "%s", exactness_name(kind));
    for (char *c = path + named; *c; c++)
        *c = *c == '/' ? '_' : *c;
    FILE *file = fopen(path, "wb");
    const int64_t sizes[] = {f->m, f->n, f->k};
    bool ok = file && fwrite(sizes, sizeof sizes, 1, file) == 1 &&
              fwrite(f->a, sizeof *f->a, (size_t)(f->m * f->k), file) == (size_t)(f->m * f->k) &&
              fwrite(f->b, sizeof *f->b, (size_t)(f->k * f->n), file) == (size_t)(f->k * f->n);
    if (!file || fclose(file) != 0 || !ok) {
        fprintf(stderr, "bench: --dump: found no way to write %s; expected a folder\n", path);
        exit(1);
    }
}

/* One line: the kind, k, and for sgemm and each set the element-wise and the norm-wise error. */
static void print_line(int kind, int length, const Factors *f)
{
    float *c = malloc((size_t)(f->m * f->n) * sizeof *c);
    ProductError e;
    printf("%s\t%d", exactness_name(kind), (int)f->k);
    if (exactness_sgemm(&e, kind, length))
        printf("\t%.3g\t%.3g", e.element, e.norm);
    else
        printf("\t-\t-");
    for (int s = 0; s < KERNEL_SETS; s++) {
        if (!use_kernel_set(kernel_sets[s])) {
            tensor_clear_error();
            printf("\t-\t-");
            continue;
        }
        exactness_multiply(c, f);
        e = exactness_errors(c, f);
        printf("\t%.3g\t%.3g", e.element, e.norm);
    }
    printf("\n");
    fflush(stdout);
    free(c);
}

void exactness(const char *folder)
{
    printf("input\tk\tsgemm\tnorm");
    for (int s = 0; s < KERNEL_SETS; s++)
        printf("\t%s\tnorm", kernel_sets[s]);
    printf("\n");
    for (int kind = 0; kind < EXACTNESS_KINDS; kind++)
        for (int length = 0; length < EXACTNESS_LENGTHS; length++) {
            Factors f;
            if (!exactness_factors(&f, kind, length))
                continue;
            if (*folder)
                dump(folder, kind, length, &f);
            else
                print_line(kind, length, &f);
            free(f.a);
            free(f.b);
        }
}
