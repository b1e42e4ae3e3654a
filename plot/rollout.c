/* rollout.c: attention rollout. Abnar and Zuidema, "Quantifying attention flow in transformers",
 * 2020
 *
 *   R_0 = I,   R_l = (mean over heads of A_l + I) / 2 R_(l-1)
 *
 * Row i of R_l says how much of each input token is in token i after layer l, if the residual
 * connection and the attention of a block have equal weight. */
#include "plot/internal.h"
#include "tensor/kernels/kernels.h"

static const char who[] = "plot_rollout";

enum { ALIGNMENT = 64 }; /* of a kernel's scratch */

bool plot_rollout_open(Rollout *r, int64_t T)
{
    *r = (Rollout){.T = T};
    r->scratch = mem_alloc(KERNEL_SCRATCH_BYTES + ALIGNMENT);
    r->memory = r->scratch ? mem_alloc(3 * (size_t)(T * T) * sizeof(real)) : NULL;
    if (!r->memory) {
        plot_rollout_close(r);
        return false;
    }
    r->product = r->memory;
    r->before = r->product + T * T;
    r->mixed = r->before + T * T;
    return true;
}

void plot_rollout_close(Rollout *r)
{
    mem_free(r->memory);
    mem_free(r->scratch);
}

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

/* The first layer needs no product: R_1 is its mixed map. */
const real *plot_rollout_add(Rollout *r, const real *maps, int heads)
{
    KernelScratch aligned = {r->scratch + (ALIGNMENT - (uintptr_t)r->scratch % ALIGNMENT), 1};
    real *before = r->product;
    mix(maps, heads, r->T, r->layers == 0 ? r->product : r->mixed);
    if (r->layers++ > 0) {
        r->product = r->before;
        r->before = before;
        multiply(r->mixed, r->before, r->product, r->T, aligned);
    }
    return r->product;
}

/* The grid's numbers are read through a Sheet, which checks them and takes the item. */
Tensor *plot_rollout(const Tensor *const *maps, int count, int item)
{
    Sheet s;
    Rollout r;
    Tensor *out = NULL;
    const PlotGrid grid = {.layers = maps, .layer_count = count, .item = item};
    if (!plot_sheet_of_grid(&s, &grid, who))
        return NULL;
    const Block *b = s.blocks;
    if (b->rows != b->columns)
        tensor_fail("%s: a map has %d queries and %d keys; expected the same tokens", who, b->rows,
                    b->columns);
    else if (plot_rollout_open(&r, b->rows)) {
        for (int l = 0; l < count; l++)
            plot_rollout_add(&r, block_panel(b, l * b->heads), b->heads);
        out = tensor_from(r.product, shape2(r.T, r.T));
        plot_rollout_close(&r);
    }
    plot_sheet_free(&s);
    return out;
}
