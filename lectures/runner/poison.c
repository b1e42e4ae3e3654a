/* poison.c: a table of kernels whose every result is one number. See poison.h.
 *
 * The function poison_TYPE stands for all kernels of that type (kernels.h): a kernel with a line in
 * list.h is poisoned. Forward kernels write the number; backward ones, which add to a gradient, add
 * it. */
#include "lectures/runner/poison.h"

#include "tensor/kernels/kernels.h"

/* A poisoned kernel looks at none of its numbers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static real poison;
static bool on;

static void fill(real *y, int64_t n)
{
    for (int64_t i = 0; y && i < n; i++)
        y[i] = poison;
}

static void add_to(real *dx, int64_t n)
{
    for (int64_t i = 0; dx && i < n; i++)
        dx[i] += poison;
}

/* Kernels that do nothing but this. */
#define POISONED(Type, does, ...)          \
    static void poison_##Type(__VA_ARGS__) \
    {                                      \
        does;                              \
    }
/* clang-format off */
POISONED(BinaryKernel, fill(y, n), real *y, const real *a, int64_t sa, const real *b, int64_t sb,
         int64_t n)
POISONED(UnaryKernel, fill(y, n), real *y, const real *x, int64_t n)
POISONED(UnaryBackward, add_to(dx, n), real *dx, const real *dy, const real *x, int64_t n)
POISONED(UnaryNumberKernel, fill(y, n), real *y, const real *x, real s, int64_t n)
POISONED(UnaryNumberBackward, add_to(dx, n), real *dx, const real *dy, const real *x, real p,
         int64_t n)
POISONED(SumKernel, fill(y, outer * inner), real *y, const real *x, real alpha, int64_t outer,
         int64_t n, int64_t inner)
POISONED(SumBackward, add_to(dx, outer * n * inner), real *dx, const real *dy, real alpha,
         int64_t outer, int64_t n, int64_t inner)
POISONED(AddRowsKernel, add_to(y, n), real *y, real alpha, const real *x, int64_t rows, int64_t n)
POISONED(AxisKernel, fill(y, outer * inner), real *y, const real *x, int64_t outer, int64_t n,
         int64_t inner)
POISONED(AxisBackward, add_to(dx, outer * n * inner), real *dx, const real *dy, const real *x,
         const real *y, int64_t outer, int64_t n, int64_t inner)
POISONED(RowsKernel, fill(y, rows * n), real *y, const real *x, int64_t rows, int64_t n)
POISONED(RowsBackward, add_to(dx, rows * n), real *dx, const real *dy, const real *y, int64_t rows,
         int64_t n)
POISONED(MaskedKernel, fill(y, matrices * T * S), real *y, const real *x, const KernelMask *mask,
         int64_t matrices, int64_t T, int64_t S)
POISONED(EmbeddingKernel, fill(y, count * n), real *y, const real *table, const int32_t *ids,
         int64_t count, int64_t n)
POISONED(SmoothKernel, add_to(losses, rows), real *losses, const real *x, const int32_t *target,
         int32_t ignore, real e, int64_t rows, int64_t n)
POISONED(SmoothBackward, add_to(dx, rows * n), real *dx, real alpha, const int32_t *target,
         int32_t ignore, real e, int64_t rows, int64_t n)
POISONED(PairLossKernel, fill(y, 1), real *y, const real *a, const real *b, int64_t n)
POISONED(GatherKernel, fill(y, n), real *y, const real *x, int64_t sx, const int32_t *ids,
         int64_t apart, int64_t n)
POISONED(SelectKernel, fill(y, n), real *y, const real *x, int64_t sx, const real *mask,
         int64_t sm, real side, int64_t n)
POISONED(DropoutKernel, fill(y, n), real *y, const real *x, real p, uint64_t seed, uint64_t stream,
         int64_t n)
/* clang-format on */

/* ---- products and elementwise kernels -------------------------------------------------------- */

static void poison_GemmKernel(const Gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            real *c = g->c + i * g->c_row + j * g->c_column;
            *c = g->add ? *c + poison : poison;
        }
}

static void poison_MuladdKernel(real *y, int64_t sy, real alpha, const real *a, int64_t sa,
                                const real *b, int64_t sb, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i * sy] += poison;
}

/* ---- sums and norms along an axis ------------------------------------------------------------ */

static double poison_SquaresKernel(const real *x, int64_t n)
{
    return (double)poison;
}

static void poison_LayerNormKernel(real *y, real *stats, const real *x, const real *gain,
                                   const real *bias, real epsilon, int64_t rows, int64_t n)
{
    fill(y, rows * n);
    fill(stats, 2 * rows);
}

static void poison_LayerNormBackward(real *dx, real *dgain, real *dbias, const real *dy,
                                     const real *x, const real *stats, const real *gain,
                                     int64_t rows, int64_t n)
{
    add_to(dx, rows * n);
    add_to(dgain, n);
    add_to(dbias, n);
}

/* ---- attention ------------------------------------------------------------------------------- */

static void poison_AttentionKernel(const Attention *a)
{
    fill(a->out, a->batch * a->heads * a->queries * a->dv);
    fill(a->lse, a->batch * a->heads * a->queries);
}

static void add_to_heads(const Attention *a, real *grad, const int64_t stride[3], int64_t tokens,
                         int64_t d)
{
    for (int64_t z = 0; grad && z < a->batch * a->heads; z++)
        for (int64_t t = 0; t < tokens; t++)
            add_to(grad + z / a->heads * stride[0] + z % a->heads * stride[1] + t * stride[2], d);
}

static void poison_AttentionBackward(const Attention *a, const AttentionGrad *g)
{
    add_to_heads(a, g->q_grad, a->q_stride, a->queries, a->d);
    add_to_heads(a, g->k_grad, a->k_stride, a->keys, a->d);
    add_to_heads(a, g->v_grad, a->v_stride, a->keys, a->dv);
}

/* ---- look-ups, losses, optimisers ------------------------------------------------------------ */

static void poison_EmbeddingBackward(real *dtable, const real *dy, const int32_t *ids,
                                     int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        add_to(dtable + ids[i] * n, n);
}

static void poison_CrossEntropyKernel(real *losses, real *lse, const real *x, const int32_t *target,
                                      int32_t ignore, int64_t rows, int64_t n)
{
    fill(losses, rows);
    fill(lse, rows);
}

static void poison_CrossEntropyBackward(real *dx, real alpha, const real *x, const real *lse,
                                        const int32_t *target, int32_t ignore, int64_t rows,
                                        int64_t n, bool add)
{
    if (add)
        add_to(dx, rows * n);
    else
        fill(dx, rows * n);
}

static void poison_PairLossBackward(real *da, real *db, real dy, const real *a, const real *b,
                                    int64_t n)
{
    add_to(da, n);
    add_to(db, n);
}

static void poison_GatherBackward(real *dx, int64_t sx, const real *dy, const int32_t *ids,
                                  int64_t apart, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i * sx + ids[i] * apart] += poison;
}

static void poison_SelectBackward(real *dx, int64_t sx, const real *dy, const real *mask,
                                  int64_t sm, real side, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        dx[i * sx] += poison;
}

static void poison_SgdKernel(real *w, real *grad, real *velocity, real rate, real momentum,
                             real decay, real gradient, int64_t n)
{
    fill(w, n);
    for (int64_t i = 0; i < n; i++)
        grad[i] = 0;
}

static void poison_AdamKernel(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n)
{
    poison_SgdKernel(w, grad, NULL, s->rate, 0, 0, 0, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Those that move numbers, and what moves a gradient that is poisoned already. */
#define poison_CopyKernel      ref_copy
#define poison_Im2colKernel    ref_im2col
#define poison_Col2imKernel    ref_col2im
#define poison_DropoutBackward ref_dropout_backward

static const Kernels poisoned = {
    .name = "poisoned",
#define KERNEL(entry, Signature) .entry = poison_##Signature,
#include "tensor/kernels/list.h"
};

void poison_begin(double number)
{
    poison = (real)number;
    on = true;
    kernels = &poisoned;
}

bool poison_on(void)
{
    return on;
}
