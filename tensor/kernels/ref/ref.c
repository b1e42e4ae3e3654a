/* ref.c: all arithmetic, said plainly.
 *
 * One loop an equation, sums in double, no threads, no tricks: what a lecture prints, and what every
 * faster set is tested against. Here: matrices, rows, dropout, optimisers, and the table itself; the rest in
 * kernels/ref/elementwise.c, kernels/ref/reduce.c, kernels/ref/gather.c, kernels/ref/losses.c,
 * kernels/ref/im2col.c, kernels/ref/attention.c and kernels/ref/quantised.c. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>
#include <string.h>

/* ---- matrices ----------------------------------------------------------------------------------- */

/* c_ij = sum_l a_il b_lj, after c_ij or bias_j or nothing */
static void gemm(const Gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const real *a = g->a + i * g->a_row, *b = g->b + j * g->b_column;
            double sum = 0;
            for (int64_t l = 0; l < g->k; l++)
                sum += (double)a[l * g->a_column] * b[l * g->b_row];
            real *c = g->c + i * g->c_row + j * g->c_column;
            double start = g->add ? *c : g->bias ? g->bias[j] : 0;
            *c = (real)(start + sum);
        }
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The largest of a row, or NaN. */
static double row_max(const real *x, int64_t n)
{
    double m = -INFINITY;
    for (int64_t j = 0; j < n; j++)
        if (x[j] > m || isnan(x[j])) /* a NaN is taken, and stays */
            m = x[j];
    return m;
}

static void softmax(real *y, const real *x, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        double m = row_max(x, n), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - m);
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)(exp(x[j] - m) / total);
    }
}

/* dx_j += y_j (dy_j - sum_k dy_k y_k) */
static void softmax_backward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double dot = 0;
        for (int64_t j = 0; j < n; j++)
            dot += (double)dy[j] * y[j];
        for (int64_t j = 0; j < n; j++)
            dx[j] += (real)(y[j] * (dy[j] - dot));
    }
}

/* y_j = x_j - log sum_k exp(x_k) */
static void log_softmax(real *y, const real *x, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        double m = row_max(x, n), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - m);
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)(x[j] - m - log(total));
    }
}

/* dx_j += dy_j - exp(y_j) sum_k dy_k */
static void log_softmax_backward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, dx += n, dy += n, y += n) {
        double total = 0;
        for (int64_t j = 0; j < n; j++)
            total += dy[j];
        for (int64_t j = 0; j < n; j++)
            dx[j] += (real)(dy[j] - exp(y[j]) * total);
    }
}

static void layernorm(real *y, real *stats, const real *x, const real *gain, const real *bias,
                      real epsilon, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, y += n, stats += 2) {
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < n; j++)
            mean += x[j];
        mean /= (double)n;
        for (int64_t j = 0; j < n; j++)
            variance += (x[j] - mean) * (x[j] - mean);
        double rstd = 1 / sqrt(variance / (double)n + (double)epsilon);
        for (int64_t j = 0; j < n; j++)
            y[j] = (real)((x[j] - mean) * rstd * gain[j] + bias[j]);
        stats[0] = (real)mean;
        stats[1] = (real)rstd;
    }
}

/* With z = (x - mean) rstd and u = dy gain:
 *   dgain += dy z,  dbias += dy,  dx += rstd (u - mean(u) - z mean(u z)) */
static void layernorm_backward(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                               const real *stats, const real *gain, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n, dy += n, stats += 2) {
        double mean = stats[0], rstd = stats[1], u_mean = 0, uz_mean = 0;
        for (int64_t j = 0; j < n; j++) {
            double z = (x[j] - mean) * rstd, u = (double)dy[j] * gain[j];
            u_mean += u / (double)n;
            uz_mean += u * z / (double)n;
            if (dgain)
                dgain[j] += (real)(dy[j] * z);
            if (dbias)
                dbias[j] += dy[j];
        }
        if (!dx)
            continue;
        for (int64_t j = 0; j < n; j++) {
            double z = (x[j] - mean) * rstd, u = (double)dy[j] * gain[j];
            dx[r * n + j] += (real)(rstd * (u - u_mean - z * uz_mean));
        }
    }
}

static void embedding(real *y, const real *table, const int32_t *ids, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(y + i * n, table + ids[i] * n, (size_t)n * sizeof *y);
}

static void embedding_backward(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                               int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < n; j++)
            dtable[ids[i] * n + j] += dy[i * n + j];
}

static void cross_entropy(real *losses, real *lse, const real *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r++, x += n) {
        double m = row_max(x, n), total = 0;
        for (int64_t j = 0; j < n; j++)
            total += exp(x[j] - m);
        double log_sum = m + log(total);
        lse[r] = (real)log_sum;
        losses[r] = target[r] == ignore ? 0 : (real)(log_sum - x[target[r]]);
    }
}

static void cross_entropy_backward(real *dx, real alpha, const real *x, const real *lse,
                                   const int32_t *target, int32_t ignore, int64_t rows, int64_t n)
{
    bool in_place = dx == x;
    for (int64_t r = 0; r < rows; r++, x += n, dx += n)
        for (int64_t j = 0; j < n; j++) {
            real before = in_place ? 0 : dx[j];
            if (target[r] == ignore)
                dx[j] = before;
            else
                dx[j] = before + (real)(alpha * (exp((double)x[j] - lse[r]) - (j == target[r])));
        }
}

/* ---- dropout and optimisers --------------------------------------------------------------------------- */

bool kernel_keeps(real p, uint64_t seed, uint64_t stream, uint64_t i)
{
    uint32_t counter[4] = {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)stream,
                           (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, bits[4];
    rng_philox(counter, key, bits);
    return bits[i % 4] * 0x1p-32 >= (double)p;
}

/* Inverted dropout: kept elements grow by 1 / (1 - p), so that the expectation stays. */
static void dropout(real *y, const real *x, real p, uint64_t seed, uint64_t stream, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = kernel_keeps(p, seed, stream, (uint64_t)i) ? x[i] / (1 - p) : 0;
}

static void dropout_backward(real *dx, const real *dy, real p, uint64_t seed, uint64_t stream,
                             int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (kernel_keeps(p, seed, stream, (uint64_t)i))
            dx[i] += dy[i] / (1 - p);
}

static void sgd(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
                real gradient, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        real g = gradient * grad[i] + decay * w[i];
        if (velocity)
            g = velocity[i] = momentum * velocity[i] + g;
        w[i] -= rate * g;
        grad[i] = 0;
    }
}

static void adam(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n)
{
    real keep1 = (real)s->beta1, take1 = (real)(1 - s->beta1);
    real keep2 = (real)s->beta2, take2 = (real)(1 - s->beta2);
    for (int64_t i = 0; i < n; i++) {
        real g = s->gradient * grad[i] + s->l2 * w[i];
        m[i] = keep1 * m[i] + take1 * g;
        v[i] = keep2 * v[i] + take2 * g * g;
        w[i] -= s->decay * w[i] + s->rate * m[i] / ((real)sqrt(v[i]) * s->root + s->epsilon);
        grad[i] = 0;
    }
}

#define REF_ROW(entry) .entry = ref_##entry,
const Kernels kernels_ref = {
    .name = "ref",
    .gemm = gemm,
    .quantised_product = ref_quantised_product,
    .softmax = softmax,
    .softmax_backward = softmax_backward,
    .log_softmax = log_softmax,
    .log_softmax_backward = log_softmax_backward,
    .masked_softmax = ref_masked_softmax,
    .layernorm = layernorm,
    .layernorm_backward = layernorm_backward,
    .attention = ref_attention,
    .attention_backward = ref_attention_backward,
    .embedding = embedding,
    .embedding_backward = embedding_backward,
    .cross_entropy = cross_entropy,
    .cross_entropy_backward = cross_entropy_backward,
    .dropout = dropout,
    .dropout_backward = dropout_backward,
    .sgd = sgd,
    .adam = adam,
    /* clang-format off */
    REF_ELEMENTS(REF_ROW) /* .add = ref_add, ... */
    REF_REDUCE(REF_ROW)
    REF_PICK(REF_ROW)
    REF_LOSSES(REF_ROW)
    REF_CONV(REF_ROW)
    /* clang-format on */
};
