/* backward.c: attention, backward, tile by tile.
 *
 * The equations are those of kernels/ref/attention.c; the weights are recomputed from each query's
 * log-sum-exp:
 *
 *     P^T = exp(S^T - lse),   dP^T = V G^T,   dS^T = scale P^T (D dP^T - r)
 *     dV += P^T G,   dK += dS^T Q,   dQ += dS K                       (G = dL/dO, r_i = G_i . O_i)
 *
 * Each product adds directly to the gradient in memory. With many matrices, one thread owns a
 * matrix and takes every tile of queries through all keys. With few, threads first own tiles of
 * keys and compute dK and dV, then own tiles of queries and compute dQ: two more products, but work
 * for all threads. Either way an element's additions have one order. */
#include "tensor/kernels/simd/attention/attention.h"

/* Up to this number of matrices the tiles are divided instead: a function of the shape, never of
 * the threads. */
enum { FEW_MATRICES = 3 };

/* A call, with the gradients that this pass computes. */
typedef struct {
    const Attention *a;
    AttentionGrad g;
    int64_t tiles; /* in a matrix */
} Call;

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

/* One tile of queries, from i0 on, against the keys from j0 to j1. */
static void queries_backward(Tile *t, int64_t i0, int64_t j0, int64_t j1)
{
    const Attention *a = t->a;
    const float *up = t->g->out_grad + t->out_offset + i0 * a->heads * a->dv;
    ISA_NAME(attention_set_queries)(t, i0, up);
    if (j0 >= t->last)
        return;
    load_upstream(t);
    for (; j0 < j1 && j0 < t->last; j0 += t->tile)
        if (ISA_NAME(attention_set_keys)(t, j0))
            tile_backward(t);
}

/* Many matrices: a thread owns the matrices begin to end - 1 and computes all three gradients in
 * one pass. */
static void matrices_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t z = begin; z < end; z++) {
        Tile t = ISA_NAME(attention_tile)(call->a, &call->g, z);
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_backward(&t, i0, 0, call->a->keys);
    }
}

/* Few matrices, first pass: a thread owns tiles of keys, for dK and dV. */
static void key_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t item = begin; item < end; item++) {
        Tile t = ISA_NAME(attention_tile)(call->a, &call->g, item / call->tiles);
        int64_t j0 = from_both_ends(item % call->tiles, call->tiles) * t.tile;
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_backward(&t, i0, j0, j0 + t.tile);
    }
}

/* Few matrices, second pass: a thread owns tiles of queries, for dQ. */
static void query_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t item = begin; item < end; item++) {
        Tile t = ISA_NAME(attention_tile)(call->a, &call->g, item / call->tiles);
        queries_backward(&t, from_both_ends(item % call->tiles, call->tiles) * t.tile, 0,
                         call->a->keys);
    }
}

/* Divides `items`, each of `queries` queries, among the threads. */
static void share_out(Call *call, int64_t items, int64_t queries, ParallelBody body)
{
    int64_t grain = parallel_grain(ISA_NAME(attention_cost)(call->a, queries, 3));
    parallel_for(items, scratch_grain(call->a->scratch, items, grain), body, call);
}

/* The kernel `attention_backward`. Forward must have left out and lse. Two passes compute seven
 * products instead of five, because both need the scores and dP, but they let even a single
 * head use all threads. */
void ISA_NAME(attention_backward)(const Attention *a, const AttentionGrad *g)
{
    int64_t matrices = a->batch * a->heads, tile = ISA_NAME(attention_tile_size)(a);
    if (a->d > MAX_DEPTH || a->dv > MAX_DEPTH || a->scratch.parts == 0) {
        ref_attention_backward(a, g);
        return;
    }
    Call call = {.a = a, .g = *g};
    if (matrices > FEW_MATRICES || a->queries <= tile || a->keys <= tile) {
        share_out(&call, matrices, a->queries, matrices_body);
        return;
    }
    call.g.q_grad = NULL;
    call.tiles = (a->keys + tile - 1) / tile;
    if (g->k_grad || g->v_grad)
        share_out(&call, matrices * call.tiles, tile, key_tiles_body);
    call.g = (AttentionGrad){g->out_grad, g->q_grad, NULL, NULL};
    call.tiles = (a->queries + tile - 1) / tile;
    if (g->q_grad)
        share_out(&call, matrices * call.tiles, tile, query_tiles_body);
}
