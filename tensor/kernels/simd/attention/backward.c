/* backward.c: attention, backward, tile by tile.
 *
 * The equations are those of kernels/ref/attention.c; the weights are recomputed from each query's
 * log-sum-exp:
 *
 *     P^T = exp(S^T - lse),   dP^T = V G^T,   dS^T = scale P^T (D dP^T - r)
 *     dV += P^T G,   dK += dS^T Q,   dQ += dS K                       (G = dL/dO, r_i = G_i . O_i)
 *
 * Each product adds directly to the gradient in memory. One thread owns a matrix and takes every
 * tile of queries through all keys, so that an element's additions have one order. */
#include "tensor/kernels/simd/attention/attention.h"

/* Loads lse and computes r of the tile's queries; the padding gets lse = infinity, hence weights of
 * 0. r_i = G_i . O_i equals sum_j P_ij D_ij dP_ij, the subtrahend in softmax's gradient, because
 * O_i = sum_j P_ij D_ij V_j. */
static void load_upstream(Tile *t)
{
    const Attention *a = t->a;
    Scratch *s = t->s;
    int64_t stride = a->heads * a->dv, at = t->out_offset + t->i0 * stride;
    const float *g = t->operand[OF_OUT_GRAD].x, *out = a->out + at;
    for (int64_t i = 0; i < t->padded_queries; i++) {
        bool there = i < t->queries;
        s->r[i] = there ? (float)dot_of(g + i * stride, out + i * stride, a->dv) : 0;
        s->lse[i] = there ? a->lse[t->z * a->queries + t->i0 + i] : INFINITY;
    }
}

/* So many keys are computed side by side, so that lse and r are loaded once for them. */
enum { KEYS_AT_ONCE = 4 };

/* Replaces the scores by D P (in s) and dP by dS (in dp), for `count` keys from j on, a constant at
 * every call. A hidden pair has weight 0, whatever dP holds. Key rows are written from the first
 * vector of queries that sees the first of the keys; the vectors before are set to zero, because
 * the products read whole rows. */
static inline __attribute__((always_inline)) void scores_backward_keys(const Tile *t, int64_t j,
                                                                       int count)
{
    float *weights = t->s->s, *grads = t->s->dp;
    const float scale = t->a->scale;
    bool drops = t->a->dropout > 0, hides = t->masked || t->diagonal < TILE;
    int64_t first = j > t->diagonal ? (j - t->diagonal) / W * W : 0;
    for (int k = 0; k < count; k++)
        for (int64_t q = 0; q < first && q < t->padded_queries; q += W) {
            store(weights + (j + k) * t->tile + q, (Vector){0});
            store(grads + (j + k) * t->tile + q, (Vector){0});
        }
    for (int64_t q = first; q < t->padded_queries; q += W) {
        Vector lse = load(t->s->lse + q), r = load(t->s->r + q);
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) {
            float *s = weights + (j + k) * t->tile + q, *dp = grads + (j + k) * t->tile + q;
            Vector score = load(s), keep = fill_lanes(1);
            if (drops)
                keep = load(t->s->dropout_factor + (j + k) * t->tile + q);
            Vector p = weight_lanes(score - lse);
            Vector ds = p * (keep * load(dp) - r) * scale;
            p *= keep;
            if (hides) {
                p = select_lanes(score == -INFINITY, (Vector){0}, p);
                ds = select_lanes(score == -INFINITY, (Vector){0}, ds);
            }
            store(dp, ds);
            store(s, p);
        }
    }
}

/* All keys of the tile. */
static void scores_backward(const Tile *t)
{
    int64_t j = 0;
    for (; j + KEYS_AT_ONCE <= t->keys; j += KEYS_AT_ONCE)
        scores_backward_keys(t, j, KEYS_AT_ONCE);
    for (; j < t->keys; j++)
        scores_backward_keys(t, j, 1);
}

/* One tile of queries against one tile of keys: their contributions to dV, dK and dQ.
 * dV uses the weights after dropout, dK and dQ use dS. All three add to what earlier tiles left. */
static void tile_backward(Tile *t)
{
    const Attention *a = t->a;
    const AttentionGrad *g = t->g;
    Scratch *s = t->s;
    const int64_t q_row = a->q_stride[2], k_row = a->k_stride[2], v_row = a->v_stride[2];
    ISA_NAME(attention_scores)(t);
    ISA_NAME(attention_dots)(t, s->dp, OF_V);
    if (a->dropout > 0)
        ISA_NAME(attention_dropout_factors)(t);
    scores_backward(t);
    if (g->v_grad) {
        float *v_grad = g->v_grad + t->v_offset + t->j0 * v_row;
        ISA_NAME(attention_to_keys)(t, s->s, OF_OUT_GRAD, v_grad, v_row);
    }
    if (g->k_grad) {
        float *k_grad = g->k_grad + t->k_offset + t->j0 * k_row;
        ISA_NAME(attention_to_keys)(t, s->dp, OF_Q, k_grad, k_row);
    }
    if (g->q_grad) {
        float *q_grad = g->q_grad + t->q_offset + t->i0 * q_row;
        ISA_NAME(attention_to_queries)(t, s->dp, OF_K, q_grad, q_row, true);
    }
}

/* One tile of queries, from i0 on, against all keys. */
static void queries_backward(Tile *t, int64_t i0)
{
    const Attention *a = t->a;
    const float *up = t->g->out_grad + t->out_offset + i0 * a->heads * a->dv;
    ISA_NAME(attention_set_queries)(t, i0, up);
    if (t->last <= 0)
        return;
    load_upstream(t);
    for (int64_t j0 = 0; j0 < t->last; j0 += t->tile)
        if (ISA_NAME(attention_set_keys)(t, j0))
            tile_backward(t);
}

typedef struct {
    const Attention *a;
    const AttentionGrad *g;
} Call;

/* The body of parallel_for: the matrices begin to end - 1. */
static void matrices_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t z = begin; z < end; z++) {
        Tile t = ISA_NAME(attention_tile)(call->a, call->g, z);
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_backward(&t, i0);
    }
}

/* Forward must have left out and lse. */
void ISA_NAME(attention_backward)(const Attention *a, const AttentionGrad *g)
{
    int64_t matrices = a->batch * a->heads;
    int64_t grain = parallel_grain(ISA_NAME(attention_cost)(a, a->queries, 3));
    if (a->d > MAX_DEPTH || a->dv > MAX_DEPTH || a->scratch.parts == 0)
        ref_attention_backward(a, g);
    else
        parallel_for(matrices, scratch_grain(a->scratch, matrices, grain), matrices_body,
                     &(Call){a, g});
}
