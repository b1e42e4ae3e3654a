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

/* One query: scores of the keys that it may see, their softmax, and the weighted sum of values. score: keys numbers. */
static void attend(const Attention *a, int64_t z, int64_t i, double *score)
{
    int64_t b = z / a->heads, h = z % a->heads;
    const real *q = a->q + b * a->q_stride[0] + h * a->q_stride[1] + i * a->q_stride[2];
    const real *k = a->k + b * a->k_stride[0] + h * a->k_stride[1];
    const real *v = a->v + b * a->v_stride[0] + h * a->v_stride[1];
    real *out = a->out + ((b * a->queries + i) * a->heads + h) * a->dv;
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < a->keys; j++) {
        bool seen = mask_keeps(&a->mask, z, i, j, a->queries, a->keys);
        score[j] = seen ? (double)a->scale * dot(q, k + j * a->k_stride[2], a->d) : -INFINITY;
        most = score[j] > most ? score[j] : most;
    }
    for (int64_t c = 0; c < a->dv; c++)
        out[c] = 0;
    for (int64_t j = 0; j < a->keys; j++)
        total += score[j] == -INFINITY ? 0 : exp(score[j] - most);
    for (int64_t j = 0; j < a->keys; j++)
        for (int64_t c = 0; c < a->dv && score[j] != -INFINITY; c++) {
            out[c] += (real)(exp(score[j] - most) / total * (double)v[j * a->v_stride[2] + c]);
            multiply_adds++;
        }
    if (a->lse)
        a->lse[z * a->queries + i] = (real)(total > 0 ? most + log(total) : 0);
}

static void attention(const Attention *a)
{
    double *score = malloc(sizeof *score * (size_t)(a->keys > 0 ? a->keys : 1));
    if (!score) {
        tensor_fail("counting: no memory for %lld scores", (long long)a->keys);
        return;
    }
    for (int64_t z = 0; z < a->batch * a->heads; z++)
        for (int64_t i = 0; i < a->queries; i++)
            attend(a, z, i, score);
    free(score);
}

/* ---- which table computes ------------------------------------------------------------------------------ */

static Kernels counting;
static const Kernels *before;

void counting_begin(void)
{
    counting = kernels_ref;
    counting.name = "counting";
    counting.gemm = gemm;
    counting.attention = attention;
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

/* ---- how long is the longest chain? ---------------------------------------------------------------------- */

const Node *counting_maker(const Tensor *t)
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
                if (tape->node[j] == counting_maker(n->in[k])) {
                    depth[i] = depth[j] > depth[i] ? depth[j] : depth[i];
                    break;
                }
        depth[i]++;
        longest = depth[i] > longest ? depth[i] : longest;
    }
    free(depth);
    return longest;
}
