/* rollout.c: attention rollout (Abnar and Zuidema, "Quantifying attention flow in transformers", 2020), layer by layer.
 *
 *   R_0 = I,   R_l = (mean over heads of A_l + I) / 2 R_(l-1)
 *
 * Row i of R_l says how much of each input token is in token i after layer l, if the residual connection and the attention
 * of a block have equal weight. */
#include "plot/html/page.h"
#include "tensor/kernels/kernels.h"

#include <string.h>

/* (mean over heads of A + I) / 2 of one layer's maps (heads, T, T). */
static void mix(const real *maps, int heads, int64_t T, real *out)
{
    for (int64_t i = 0; i < T * T; i++) {
        double sum = 0;
        for (int h = 0; h < heads; h++)
            sum += (double)maps[h * T * T + i];
        out[i] = (real)(sum / heads / 2 + (i % (T + 1) == 0 ? 0.5 : 0));
    }
}

/* c = a b, all (T, T). */
static void multiply(const real *a, const real *b, real *c, int64_t T, KernelScratch scratch)
{
    kernels->gemm(&(Gemm){.m = T,
                          .n = T,
                          .k = T,
                          .a = a,
                          .a_row = T,
                          .a_column = 1,
                          .b = b,
                          .b_row = T,
                          .b_column = 1,
                          .c = c,
                          .c_row = T,
                          .c_column = 1,
                          .scratch = scratch});
}

bool page_rollout(Page *p, const char *key, const Block *maps, int bits)
{
    int64_t T = maps->rows;
    size_t one = (size_t)(T * T) * sizeof(real);
    unsigned char *scratch = mem_alloc(KERNEL_SCRATCH_BYTES + 64);
    real *mixed = mem_alloc(3 * one);
    if (scratch && mixed) {
        real *before = mixed + T * T, *after = before + T * T;
        KernelScratch aligned = {scratch + (64 - (uintptr_t)scratch % 64), 1};
        page_key(p, key);
        page_array(p);
        for (int l = 0; l < maps->down; l++) {
            mix(block_panel(maps, l * maps->across), maps->across, T, mixed);
            if (l == 0)
                memcpy(after, mixed, one);
            else
                multiply(mixed, before, after, T, aligned);
            page_packed(p, after, shape2(T, T), bits);
            real *swap = before;
            before = after;
            after = swap;
        }
        page_end(p);
    }
    bool ok = scratch && mixed;
    mem_free(mixed);
    mem_free(scratch);
    return ok;
}
