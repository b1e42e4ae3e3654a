/* attention.c: scaled dot-product attention, as a lecture writes it.
 *
 * For one matrix z = (sequence b, head h), with q (T, d), k (S, d), v (S, dv), four passes over
 * each query i:
 *
 *   1. scores        s_ij = scale q_i . k_j                              (T, d) times (d, S)  -> (T, S)
 *   2. mask          s_ij = -infinity where query i may not see key j    (T, S)
 *   3. softmax       A_ij = exp(s_ij - max_i) / sum_i                    (T, S)
 *                    max_i = max_j s_ij,  sum_i = sum_j exp(s_ij - max_i)
 *   4. weighted sum  o_i  = sum_j D_ij A_ij v_j                          (T, S) times (S, dv) -> (T, dv)
 *
 * D_ij is dropout's factor: 0 or 1 / (1 - p), and 1 without dropout. Source: Vaswani et al.,
 * "Attention is all you need" (2017), equation 1.
 *
 * All sums are in double. One row of A exists at a time, in the call's workspace; backward computes
 * it again. A query that sees no key has weights 0 and the result 0. A hidden key is not read in
 * pass 4 nor in backward, so that a NaN in it cannot spread. The fast sets never have a row: they
 * merge passes 1 to 4 by the online softmax (kernels/simd/attention). */
#include "tensor/kernels/ref/ref.h"

#include <math.h>
#include <string.h>

/* One matrix z of the call; row i of q begins at q + i * q_row, and so on. */
typedef struct {
    const Attention *a;
    int64_t z;
    const real *q, *k, *v; /* (T, d), (S, d), (S, dv)                                  */
    real *out;             /* (T, dv)                                                  */
    int64_t q_row, k_row, v_row, out_row;
    const real *out_grad;           /* g = dL/do, like out; in backward only                    */
    real *q_grad, *k_grad, *v_grad; /* as q, k, v; NULL where not wanted                        */
} Head;

/* A gradient that is not wanted stays NULL. */
static real *shifted(real *grad, int64_t offset)
{
    return grad ? grad + offset : NULL;
}

/* The pointers of matrix z; those of gradients only where g is given. */
static Head head_of(const Attention *a, const AttentionGrad *g, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads, kv = attention_kv_head(a, h);
    int64_t q_offset = b * a->q_stride[0] + h * a->q_stride[1];
    int64_t k_offset = b * a->k_stride[0] + kv * a->k_stride[1];
    int64_t v_offset = b * a->v_stride[0] + kv * a->v_stride[1];
    int64_t out_offset = (b * a->queries * a->heads + h) * a->dv;
    Head head = {
        .a = a,
        .z = z,
        .q = a->q + q_offset,
        .k = a->k + k_offset,
        .v = a->v + v_offset,
        .out = a->out + out_offset,
        .q_row = a->q_stride[2],
        .k_row = a->k_stride[2],
        .v_row = a->v_stride[2],
        .out_row = a->heads * a->dv,
    };
    if (g) {
        head.out_grad = g->out_grad + out_offset;
        head.q_grad = shifted(g->q_grad, q_offset);
        head.k_grad = shifted(g->k_grad, k_offset);
        head.v_grad = shifted(g->v_grad, v_offset);
    }
    return head;
}

/* May query i see key j? */
static bool sees(const Head *h, int64_t i, int64_t j)
{
    return mask_keeps(&h->a->mask, h->z, i, j, h->a->queries, h->a->keys);
}

/* D_ij: a function of the number of (z, i, j) among all weights of the call. */
static double dropout_factor(const Head *h, int64_t i, int64_t j)
{
    const Attention *a = h->a;
    if (a->dropout == 0)
        return 1;
    uint64_t number = (uint64_t)((h->z * a->queries + i) * a->keys + j);
    return kernel_keeps(a->dropout, a->seed, a->stream, number) ? 1 / (1 - (double)a->dropout) : 0;
}

/* a . b, both (n). */
static double dot(const real *a, const real *b, int64_t n)
{
    double sum = 0;
    for (int64_t c = 0; c < n; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

/* sum (n) += weight x (n) */
static void accumulate(double *sum, double weight, const real *x, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        sum[c] += weight * (double)x[c];
}

/* y (n) += alpha sum (n) */
static void add_sum(real *y, double alpha, const double *sum, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        y[c] = (real)(y[c] + alpha * sum[c]);
}

/* s_ij = scale q_i . k_j, from the same operations in the same order in forward and backward. */
static double score(const Head *h, int64_t i, int64_t j)
{
    return (double)h->a->scale * dot(h->q + i * h->q_row, h->k + j * h->k_row, h->a->d);
}

/* ---- forward --------------------------------------------------------------------------------- */

/* What softmax knows of a row of scores: A_ij = exp(s_ij - max) / sum. */
typedef struct {
    double max, sum;
} Softmax;

/* 1. The scores of query i: row (S). */
static void compute_scores(const Head *h, int64_t i, double *row)
{
    for (int64_t j = 0; j < h->a->keys; j++)
        row[j] = score(h, i, j);
}

/* 2. The mask: what query i may not see scores -infinity. */
static void mask_scores(const Head *h, int64_t i, double *row)
{
    for (int64_t j = 0; j < h->a->keys; j++)
        if (!sees(h, i, j))
            row[j] = -INFINITY;
}

/* 3. The softmax of a row of n scores, in place. A row of -infinity becomes 0; a NaN makes the row
 * NaN. */
static Softmax softmax(double *row, int64_t n)
{
    Softmax of = {.max = -INFINITY};
    for (int64_t j = 0; j < n; j++)
        if (row[j] > of.max || isnan(row[j]))
            of.max = row[j];
    double shift = of.max == -INFINITY ? 0 : of.max; /* -infinity - -infinity would be NaN */
    for (int64_t j = 0; j < n; j++) {
        row[j] = exp(row[j] - shift);
        of.sum += row[j];
    }
    for (int64_t j = 0; j < n; j++)
        row[j] = of.sum == 0 ? 0 : row[j] / of.sum;
    return of;
}

/* 4. The weighted sum of the values: A (S) times v (S, dv) -> o (dv). */
static void weighted_sum(const Head *h, int64_t i, const double *A, double *sum)
{
    int64_t dv = h->a->dv;
    memset(sum, 0, (size_t)dv * sizeof *sum);
    for (int64_t j = 0; j < h->a->keys; j++)
        if (sees(h, i, j))
            accumulate(sum, dropout_factor(h, i, j) * A[j], h->v + j * h->v_row, dv);
    for (int64_t c = 0; c < dv; c++)
        h->out[i * h->out_row + c] = (real)sum[c];
}

/* The four passes, one head after the other, one query after the other. A row of the workspace
 * holds the query's scores, then its weights. */
void ref_attention(const Attention *a)
{
    double *weights = a->workspace, *sum = weights + a->keys; /* (S) and (dv) */
    for (int64_t z = 0; z < a->batch * a->heads; z++) {
        Head h = head_of(a, NULL, z);
        for (int64_t i = 0; i < a->queries; i++) {
            compute_scores(&h, i, weights);
            mask_scores(&h, i, weights);
            Softmax of = softmax(weights, a->keys);
            weighted_sum(&h, i, weights, sum);
            if (a->lse)
                a->lse[z * a->queries + i] = (real)(of.sum == 0 ? 0 : of.max + log(of.sum));
        }
    }
}

/* ---- backward -------------------------------------------------------------------------------- */

/* With g_i = dL/do_i:
 *
 *   dA_ij = D_ij g_i . v_j,   r_i = sum_j A_ij dA_ij,   ds_ij = A_ij (dA_ij - r_i)
 *   dq_i += scale sum_j ds_ij k_j        a sum over keys:    for each query, with its row of A
 *   dk_j += scale sum_i ds_ij q_i        sums over queries:  for each key, with max_i, sum_i and r_i of every
 *   dv_j += sum_i D_ij A_ij g_i                              query, which the first loop leaves
 *
 * The weights do not come from lse, which is one real: beside a score of 1e9 that has no digits
 * left for a difference of 1. */
typedef struct {
    Softmax softmax;
    double r;
} QueryStats;

/* The workspace: A (S), ds (S), sums (d + dv), the queries' statistics (3 T). attention_workspace
 * counts it. */
typedef struct {
    double *A, *ds, *sum;
    QueryStats *query;
} Workspace;

/* The parts of the workspace, one after the other. */
static Workspace workspace_of(const Attention *a)
{
    Workspace w = {.A = a->workspace};
    w.ds = w.A + a->keys;
    w.sum = w.ds + a->keys;
    w.query = (QueryStats *)(w.sum + a->d + a->dv);
    return w;
}

/* dA_ij = D_ij g_i . v_j */
static double weight_grad(const Head *h, int64_t i, int64_t j)
{
    return dropout_factor(h, i, j) *
           dot(h->out_grad + i * h->out_row, h->v + j * h->v_row, h->a->dv);
}

/* Leaves query i's statistics, and adds its gradient to dq. */
static void query_backward(const Head *h, const Workspace *w, int64_t i)
{
    const Attention *a = h->a;
    QueryStats *query = &w->query[i];
    compute_scores(h, i, w->A);
    mask_scores(h, i, w->A);
    *query = (QueryStats){.softmax = softmax(w->A, a->keys)};
    for (int64_t j = 0; j < a->keys; j++) {
        w->ds[j] = sees(h, i, j) ? weight_grad(h, i, j) : 0;
        query->r += sees(h, i, j) ? w->A[j] * w->ds[j] : 0;
    }
    if (!h->q_grad)
        return;
    memset(w->sum, 0, (size_t)a->d * sizeof *w->sum);
    for (int64_t j = 0; j < a->keys; j++)
        if (sees(h, i, j))
            accumulate(w->sum, w->A[j] * (w->ds[j] - query->r), h->k + j * h->k_row, a->d);
    add_sum(h->q_grad + i * h->q_row, (double)a->scale, w->sum, a->d);
}

/* Adds to dk and dv what key j and value j receive from all queries. */
static void key_backward(const Head *h, const Workspace *w, int64_t j)
{
    const Attention *a = h->a;
    double *k_sum = w->sum, *v_sum = w->sum + a->d;
    memset(w->sum, 0, (size_t)(a->d + a->dv) * sizeof *w->sum);
    for (int64_t i = 0; i < a->queries; i++) {
        const QueryStats *query = &w->query[i];
        if (!sees(h, i, j) || query->softmax.sum == 0)
            continue;
        double A = exp(score(h, i, j) - query->softmax.max) / query->softmax.sum;
        accumulate(k_sum, A * (weight_grad(h, i, j) - query->r), h->q + i * h->q_row, a->d);
        accumulate(v_sum, dropout_factor(h, i, j) * A, h->out_grad + i * h->out_row, a->dv);
    }
    if (h->k_grad)
        add_sum(h->k_grad + j * h->k_row, (double)a->scale, k_sum, a->d);
    if (h->v_grad)
        add_sum(h->v_grad + j * h->v_row, 1, v_sum, a->dv);
}

/* First all queries of a matrix, which leave their statistics, then all keys, which read them. */
void ref_attention_backward(const Attention *a, const AttentionGrad *g)
{
    Workspace w = workspace_of(a);
    for (int64_t z = 0; z < a->batch * a->heads; z++) {
        Head h = head_of(a, g, z);
        for (int64_t i = 0; i < a->queries; i++)
            query_backward(&h, &w, i);
        for (int64_t j = 0; j < a->keys && (h.k_grad || h.v_grad); j++)
            key_backward(&h, &w, j);
    }
}
