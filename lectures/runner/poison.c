/* poison.c: a table of kernels whose every result is one number. See poison.h.
 *
 * A function stands for all kernels of one signature. Forward kernels write the number; backward
 * ones, which add to a gradient, add it. */
#include "lectures/runner/poison.h"

#include "tensor/kernels/kernels.h"

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

/* ---- products and elementwise kernels -------------------------------------------------------- */

static void gemm(const Gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            real *c = g->c + i * g->c_row + j * g->c_column;
            *c = g->add ? *c + poison : poison;
        }
}

static void binary(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n)
{
    (void)a, (void)sa, (void)b, (void)sb;
    fill(y, n);
}

static void axpy(real *y, int64_t sy, real alpha, const real *x, int64_t sx, int64_t n)
{
    (void)alpha, (void)x, (void)sx;
    for (int64_t i = 0; i < n; i++)
        y[i * sy] += poison;
}

static void muladd(real *y, int64_t sy, real alpha, const real *a, int64_t sa, const real *b,
                   int64_t sb, int64_t n)
{
    (void)b, (void)sb;
    axpy(y, sy, alpha, a, sa, n);
}

static void unary(real *y, const real *x, int64_t n)
{
    (void)x;
    fill(y, n);
}

static void unary_backward(real *dx, const real *dy, const real *x, int64_t n)
{
    (void)dy, (void)x;
    add_to(dx, n);
}

static void unary_1(real *y, const real *x, real s, int64_t n)
{
    (void)x, (void)s;
    fill(y, n);
}

static void unary_1_backward(real *dx, const real *dy, const real *x, real p, int64_t n)
{
    (void)dy, (void)x, (void)p;
    add_to(dx, n);
}

/* ---- sums and norms along an axis ------------------------------------------------------------ */

static void sum(real *y, const real *x, real alpha, int64_t outer, int64_t n, int64_t inner)
{
    (void)x, (void)alpha, (void)n;
    fill(y, outer * inner);
}

static void sum_backward(real *dx, const real *dy, real alpha, int64_t outer, int64_t n,
                         int64_t inner)
{
    (void)dy, (void)alpha;
    add_to(dx, outer * n * inner);
}

static double squares(const real *x, int64_t n)
{
    (void)x, (void)n;
    return (double)poison;
}

static void add_rows(real *y, real alpha, const real *x, int64_t rows, int64_t n)
{
    (void)alpha, (void)x, (void)rows;
    add_to(y, n);
}

static void along(real *y, const real *x, int64_t outer, int64_t n, int64_t inner)
{
    (void)x, (void)n;
    fill(y, outer * inner);
}

static void logsumexp_backward(real *dx, const real *dy, const real *x, const real *y,
                               int64_t outer, int64_t n, int64_t inner)
{
    (void)dy, (void)x, (void)y;
    add_to(dx, outer * n * inner);
}

static void rows_of(real *y, const real *x, int64_t rows, int64_t n)
{
    (void)x;
    fill(y, rows * n);
}

static void rows_backward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    (void)dy, (void)y;
    add_to(dx, rows * n);
}

static void masked_softmax(real *y, const real *x, const KernelMask *mask, int64_t matrices,
                           int64_t T, int64_t S)
{
    (void)x, (void)mask;
    fill(y, matrices * T * S);
}

static void layernorm(real *y, real *stats, const real *x, const real *gain, const real *bias,
                      real epsilon, int64_t rows, int64_t n)
{
    (void)x, (void)gain, (void)bias, (void)epsilon;
    fill(y, rows * n);
    fill(stats, 2 * rows);
}

static void layernorm_backward(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                               const real *stats, const real *gain, int64_t rows, int64_t n)
{
    (void)dy, (void)x, (void)stats, (void)gain;
    add_to(dx, rows * n);
    add_to(dgain, n);
    add_to(dbias, n);
}

/* ---- attention ------------------------------------------------------------------------------- */

static void attention(const Attention *a)
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

static void attention_backward(const Attention *a, const AttentionGrad *g)
{
    add_to_heads(a, g->q_grad, a->q_stride, a->queries, a->d);
    add_to_heads(a, g->k_grad, a->k_stride, a->keys, a->d);
    add_to_heads(a, g->v_grad, a->v_stride, a->keys, a->dv);
}

/* ---- look-ups, losses, optimisers ------------------------------------------------------------ */

static void embedding(real *y, const real *table, const int32_t *ids, int64_t count, int64_t n)
{
    (void)table, (void)ids;
    fill(y, count * n);
}

static void embedding_backward(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                               int64_t n)
{
    (void)dy;
    for (int64_t i = 0; i < count; i++)
        add_to(dtable + ids[i] * n, n);
}

static void cross_entropy(real *losses, real *lse, const real *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n)
{
    (void)x, (void)target, (void)ignore, (void)n;
    fill(losses, rows);
    fill(lse, rows);
}

static void cross_entropy_backward(real *dx, real alpha, const real *x, const real *lse,
                                   const int32_t *target, int32_t ignore, int64_t rows, int64_t n)
{
    (void)alpha, (void)lse, (void)target, (void)ignore;
    if (dx == x)
        fill(dx, rows * n);
    else
        add_to(dx, rows * n);
}

static void smooth(real *losses, const real *x, const int32_t *target, int32_t ignore, real e,
                   int64_t rows, int64_t n)
{
    (void)x, (void)target, (void)ignore, (void)e, (void)n;
    add_to(losses, rows);
}

static void smooth_backward(real *dx, real alpha, const int32_t *target, int32_t ignore, real e,
                            int64_t rows, int64_t n)
{
    (void)alpha, (void)target, (void)ignore, (void)e;
    add_to(dx, rows * n);
}

static void pair_loss(real *y, const real *a, const real *b, int64_t n)
{
    (void)a, (void)b, (void)n;
    fill(y, 1);
}

static void pair_loss_backward(real *da, real *db, real dy, const real *a, const real *b, int64_t n)
{
    (void)dy, (void)a, (void)b;
    add_to(da, n);
    add_to(db, n);
}

static void gather(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t apart, int64_t n)
{
    (void)x, (void)sx, (void)ids, (void)apart;
    fill(y, n);
}

static void gather_backward(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t apart,
                            int64_t n)
{
    (void)dy;
    for (int64_t i = 0; i < n; i++)
        dx[i * sx + ids[i] * apart] += poison;
}

static void select_side(real *y, const real *x, int64_t sx, const real *mask, int64_t sm, real side,
                        int64_t n)
{
    (void)x, (void)sx, (void)mask, (void)sm, (void)side;
    fill(y, n);
}

static void select_backward(real *dx, int64_t sx, const real *dy, const real *mask, int64_t sm,
                            real side, int64_t n)
{
    (void)dy, (void)mask, (void)sm, (void)side;
    for (int64_t i = 0; i < n; i++)
        dx[i * sx] += poison;
}

static void dropout(real *y, const real *x, real p, uint64_t seed, uint64_t stream, int64_t n)
{
    (void)x, (void)p, (void)seed, (void)stream;
    fill(y, n);
}

static void sgd(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
                real gradient, int64_t n)
{
    (void)velocity, (void)rate, (void)momentum, (void)decay, (void)gradient;
    fill(w, n);
    for (int64_t i = 0; i < n; i++)
        grad[i] = 0;
}

static void adam(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n)
{
    (void)m, (void)v;
    sgd(w, grad, NULL, s->rate, 0, 0, 0, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void poison_elementwise(Kernels *k)
{
    k->add = k->sub = k->mul = k->div = k->maximum = k->maximum_share = binary;
    k->exp = k->log = k->tanh = k->relu = k->gelu = k->gelu_tanh = k->sigmoid = unary;
    k->silu = k->softplus = k->abs = k->sqrt = unary;
    k->log_backward = k->tanh_backward = k->relu_backward = k->gelu_backward = unary_backward;
    k->gelu_tanh_backward = k->sigmoid_backward = k->silu_backward = unary_backward;
    k->softplus_backward = k->abs_backward = k->sqrt_backward = unary_backward;
    k->scale = k->pow = unary_1;
    k->pow_backward = unary_1_backward;
}

static void poison_axes(Kernels *k)
{
    k->sum = sum, k->sum_backward = sum_backward;
    k->squares = squares, k->add_rows = add_rows;
    k->logsumexp = along, k->logsumexp_backward = logsumexp_backward;
    k->softmax = k->log_softmax = rows_of;
    k->softmax_backward = k->log_softmax_backward = rows_backward;
    k->masked_softmax = masked_softmax;
    k->layernorm = layernorm, k->layernorm_backward = layernorm_backward;
}

void poison_begin(double number)
{
    static Kernels table;
    table = kernels_ref;
    table.name = "poisoned";
    table.gemm = gemm;
    table.axpy = axpy, table.muladd = muladd;
    poison_elementwise(&table);
    poison_axes(&table);
    table.attention = attention, table.attention_backward = attention_backward;
    table.embedding = embedding, table.embedding_backward = embedding_backward;
    table.cross_entropy = cross_entropy, table.cross_entropy_backward = cross_entropy_backward;
    table.smooth = smooth, table.smooth_backward = smooth_backward;
    table.mse = table.bce = table.gaussian_kl = pair_loss;
    table.mse_backward = table.bce_backward = table.gaussian_kl_backward = pair_loss_backward;
    table.gather = gather, table.gather_backward = gather_backward;
    table.select = select_side, table.select_backward = select_backward;
    table.dropout = dropout;
    table.sgd = sgd, table.adam = adam;
    poison = (real)number;
    on = true;
    kernels = &table;
}

bool poison_on(void)
{
    return on;
}
