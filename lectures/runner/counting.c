/* counting.c: a table of kernels that counts. See counting.h. */
#include "lectures/runner/counting.h"

#include "lectures/runner/poison.h"
#include "tensor/kernels/kernels.h"

#include <stdlib.h>

static int64_t multiply_adds;

static void gemm(const Gemm *g)
{
    multiply_adds += g->m * g->n * g->k;
    kernels_ref.gemm(g);
}

/* The pairs of a query and a key that the mask keeps. */
static int64_t pairs_of(const Attention *a)
{
    int64_t pairs = 0;
    for (int64_t z = 0; z < a->batch * a->heads; z++)
        for (int64_t i = 0; i < a->queries; i++)
            for (int64_t j = 0; j < a->keys; j++)
                pairs += mask_keeps(&a->mask, z, i, j, a->queries, a->keys);
    return pairs;
}

/* A pair's score, and what its weight times the value adds to the result. */
static void attention(const Attention *a)
{
    multiply_adds += pairs_of(a) * (a->d + a->dv);
    kernels_ref.attention(a);
}

/* A pair's score again, as in every kernel that stores no matrix, the gradient of its weight, and
 * what it adds to each gradient that is asked for. */
static void attention_backward(const Attention *a, const AttentionGrad *g)
{
    const int64_t added = (g->q_grad ? a->d : 0) + (g->k_grad ? a->d : 0) + (g->v_grad ? a->dv : 0);
    multiply_adds += pairs_of(a) * (a->d + a->dv + added);
    kernels_ref.attention_backward(a, g);
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
