/* counting.c: a table of kernels that counts. See counting.h. */
#include "lectures/runner/counting.h"

#include "lectures/runner/poison.h"
#include "tensor/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

static int64_t multiply_adds;

static void gemm(const Gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            real *c = g->c + i * g->c_row + j * g->c_column;
            double sum = g->add ? *c : g->bias ? g->bias[j] : 0;
            for (int64_t l = 0; l < g->k; l++) {
                sum += (double)g->a[i * g->a_row + l * g->a_column] *
                       (double)g->b[l * g->b_row + j * g->b_column];
                multiply_adds++;
            }
            *c = (real)sum;
        }
}

static double dot(const real *a, const real *b, int64_t n)
{
    double sum = 0;
    for (int64_t c = 0; c < n; c++) {
        sum += (double)a[c] * (double)b[c];
        multiply_adds++;
    }
    return sum;
}

/* Query i of matrix z, and where its key, value, result and gradients begin; row j of k is k + j *
 * k_row. */
typedef struct {
    const Attention *a;
    int64_t z, i;
    const real *q, *k, *v;
    int64_t q_at, k_at, v_at, out_at, k_row, v_row; /* in q, k, v and out, and in their gradients */
} Query;

static Query query_of(const Attention *a, int64_t z, int64_t i)
{
    int64_t b = z / a->heads, h = z % a->heads, kv = attention_kv_head(a, h);
    Query p = {.a = a, .z = z, .i = i, .k_row = a->k_stride[2], .v_row = a->v_stride[2]};
    p.q_at = b * a->q_stride[0] + h * a->q_stride[1] + i * a->q_stride[2];
    p.k_at = b * a->k_stride[0] + kv * a->k_stride[1];
    p.v_at = b * a->v_stride[0] + kv * a->v_stride[1];
    p.out_at = ((b * a->queries + i) * a->heads + h) * a->dv;
    p.q = a->q + p.q_at, p.k = a->k + p.k_at, p.v = a->v + p.v_at;
    return p;
}

static bool sees(const Query *p, int64_t j)
{
    return mask_keeps(&p->a->mask, p->z, p->i, j, p->a->queries, p->a->keys);
}

/* y (n) += factor x (n) */
static void accumulate(real *y, double factor, const real *x, int64_t n)
{
    for (int64_t c = 0; c < n; c++) {
        y[c] = (real)((double)y[c] + factor * (double)x[c]);
        multiply_adds++;
    }
}

/* The weights of the query, 0 where a key is hidden. Returns the log of the sum of exp(score), or 0
 * without a key. */
static double weights(const Query *p, double *A)
{
    const Attention *a = p->a;
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < a->keys; j++) {
        A[j] = sees(p, j) ? (double)a->scale * dot(p->q, p->k + j * p->k_row, a->d) : -INFINITY;
        most = A[j] > most ? A[j] : most;
    }
    for (int64_t j = 0; j < a->keys; j++) {
        A[j] = A[j] == -INFINITY ? 0 : exp(A[j] - most);
        total += A[j];
    }
    for (int64_t j = 0; j < a->keys; j++)
        A[j] /= total > 0 ? total : 1;
    return total > 0 ? most + log(total) : 0;
}

static void attend(const Query *p, double *A)
{
    const Attention *a = p->a;
    double lse = weights(p, A);
    for (int64_t c = 0; c < a->dv; c++)
        a->out[p->out_at + c] = 0;
    for (int64_t j = 0; j < a->keys; j++)
        if (sees(p, j))
            accumulate(a->out + p->out_at, A[j], p->v + j * p->v_row, a->dv);
    if (a->lse)
        a->lse[p->z * a->queries + p->i] = (real)lse;
}

/* What the query adds to the gradients, with its weights computed again, as every kernel does it
 * that stores no matrix: dA_j = g . v_j, ds_j = A_j (dA_j - sum A dA), dq += ds_j k_j, dk_j += ds_j
 * q, dv_j += A_j g. dA: keys numbers. */
static void attend_backward(const Query *p, const AttentionGrad *g, double *A, double *dA)
{
    const Attention *a = p->a;
    const real *out_grad = g->out_grad + p->out_at;
    double mean = 0;
    weights(p, A);
    for (int64_t j = 0; j < a->keys; j++) {
        dA[j] = sees(p, j) ? dot(out_grad, p->v + j * p->v_row, a->dv) : 0;
        mean += A[j] * dA[j];
    }
    for (int64_t j = 0; j < a->keys; j++) {
        double ds = (double)a->scale * A[j] * (dA[j] - mean);
        if (sees(p, j) && g->q_grad)
            accumulate(g->q_grad + p->q_at, ds, p->k + j * p->k_row, a->d);
        if (sees(p, j) && g->k_grad)
            accumulate(g->k_grad + p->k_at + j * p->k_row, ds, p->q, a->d);
        if (sees(p, j) && g->v_grad)
            accumulate(g->v_grad + p->v_at + j * p->v_row, A[j], out_grad, a->dv);
    }
}

/* All queries, forward, or backward where g is not NULL. */
static void all_queries(const Attention *a, const AttentionGrad *g)
{
    double *row = malloc(sizeof *row * 2 * (size_t)(a->keys > 0 ? a->keys : 1));
    if (!row) {
        tensor_fail("counting: no memory for %lld scores", (long long)a->keys);
        return;
    }
    for (int64_t z = 0; z < a->batch * a->heads; z++)
        for (int64_t i = 0; i < a->queries; i++) {
            Query p = query_of(a, z, i);
            if (g)
                attend_backward(&p, g, row, row + a->keys);
            else
                attend(&p, row);
        }
    free(row);
}

static void attention(const Attention *a)
{
    all_queries(a, NULL);
}

static void attention_backward(const Attention *a, const AttentionGrad *g)
{
    all_queries(a, g);
}

/* ---- which table computes -------------------------------------------------------------------- */

static Kernels counting;
static const Kernels *before;

void counting_begin(void)
{
    counting = kernels_ref;
    counting.name = "counting";
    counting.gemm = gemm;
    counting.attention = attention;
    counting.attention_backward = attention_backward;
    before = kernels;
    if (!poison_on()) /* poisoned kernels do no multiply-adds: a claim about counts must see that */
        kernels = &counting;
    multiply_adds = 0;
}

int64_t counting_end(void)
{
    kernels = before;
    return multiply_adds;
}

/* ---- how long is the longest chain? ---------------------------------------------------------- */

/* The node whose result a tensor is, seen through views; NULL for inputs and weights. */
static const Node *maker_of(const Tensor *t)
{
    while (t && t->base)
        t = t->base;
    return t ? t->node : NULL;
}

int counting_depth(const Tape *tape)
{
    int longest = 0, *depth = calloc((size_t)tape->nodes + 1, sizeof *depth);
    for (int i = 0; depth && i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        for (int k = 0; k < n->inputs; k++)
            for (int j = i - 1; j >= 0;
                 j--) /* what it needs was made before it, most often just before */
                if (tape->node[j] == maker_of(n->in[k])) {
                    depth[i] = depth[j] > depth[i] ? depth[j] : depth[i];
                    break;
                }
        depth[i]++;
        longest = depth[i] > longest ? depth[i] : longest;
    }
    free(depth);
    return longest;
}
