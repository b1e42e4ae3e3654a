/* exactness_errors.c: a product by the kernel set in use, and its errors against A B summed in
 * double (exactness.h). */
#include "tests/kernels/exactness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void exactness_multiply(float *c, const Factors *f)
{
    static unsigned char scratch[4 * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));
    Gemm g = {.m = f->m,
              .n = f->n,
              .k = f->k,
              .a = f->a,
              .a_row = f->k,
              .a_column = 1,
              .b = f->b,
              .b_row = f->n,
              .b_column = 1,
              .c = c,
              .c_row = f->n,
              .c_column = 1,
              .scratch = {scratch, 4}};
    kernels->gemm(&g);
}

ProductError exactness_errors(const float *c, const Factors *f)
{
    double worst = 0, off = 0, all = 0;
    double *exact = malloc((size_t)f->n * 2 * sizeof *exact), *weight = exact + f->n;
    for (int64_t i = 0; i < f->m; i++) {
        memset(exact, 0, (size_t)f->n * 2 * sizeof *exact);
        for (int64_t l = 0; l < f->k; l++) {
            const double a = (double)f->a[i * f->k + l];
            for (int64_t j = 0; a != 0 && j < f->n; j++) {
                exact[j] += a * (double)f->b[l * f->n + j];
                weight[j] += fabs(a * (double)f->b[l * f->n + j]);
            }
        }
        for (int64_t j = 0; j < f->n; j++) {
            double error = fabs((double)c[i * f->n + j] - exact[j]);
            double ratio = error == 0 ? 0 : error / weight[j];
            worst = ratio <= worst ? worst : ratio; /* NaN stays */
            off += error * error;
            all += exact[j] * exact[j];
        }
    }
    free(exact);
    return (ProductError){worst * 0x1p24, off == 0 ? 0 : sqrt(off / all) * 0x1p24};
}
