/* kernels_fast_attention_back.c: attention backward, tile by tile, fast.
 *
 * The equations are those of kernels_ref_attention.c; weights are made again from each query's log-sum-exp:
 *
 *     P^T = exp(S^T - lse),   dP^T = V G^T,   dS^T = scale P^T (D dP^T - r)
 *     dV += P^T G,   dK += dS^T Q,   dQ += dS K                       (G = dL/dO, r_i = G_i . O_i)
 *
 * Each product adds straight to the gradient in memory. Where there are many matrices, each has one owner, who
 * meets every tile of queries with all its keys. Where there are few, the tiles of keys have owners for dK and
 * dV, then the tiles of queries for dQ: two products more, but all threads have work. Either way an element's
 * additions have one order. */
#include "tensor/kernels_fast_attention.h"

/* Up to so many matrices count as few: a function of the shape, never of the threads. */
enum { FEW = 3 };

/* Which gradients are wanted now. */
typedef struct {
    const Attention *a;
    AttentionGrad g;
    int64_t tiles; /* in a matrix */
} Call;

/* Takes up G, r and lse of the tile's queries; for the padding, zeros. */
static void take_upstream(Tile *t)
{
    const Attention *a = t->a;
    Scratch *s = t->s;
    int64_t stride = a->heads * a->dv, at = t->out_offset + t->i0 * stride;
    const float *g = t->g->out_grad + at, *out = a->out + at;
    const float *q = a->q + t->q_offset + t->i0 * a->q_stride[2];
    t->up = FAST(attention_strip)(t, OF_UP, s->g, g, stride, t->queries, a->dv);
    t->q = FAST(attention_strip)(t, OF_Q, s->q, q, a->q_stride[2], t->queries, a->d);
    FAST(attention_turn)(t, s->g_turned, g, stride, a->dv);
    for (int64_t i = 0; i < t->across; i++) {
        bool there = i < t->queries;
        s->r[i] = there ? (float)dot_of(g + i * stride, out + i * stride, a->dv) : 0;
        s->lse[i] = there ? a->lse[t->z * a->queries + t->i0 + i] : 0;
    }
}

/* From scores and dP to D P (in s) and dS (in dp). What is hidden has weight 0, whatever stands in dP. */
static void weigh_back(const Tile *t)
{
    const float scale = t->a->scale;
    bool drops = t->a->dropout > 0, hides = t->masked || t->diagonal < TILE;
    for (int64_t j = 0; j < t->keys; j++) {
        int64_t first = j > t->diagonal ? (j - t->diagonal) / W * W : 0;
        for (int64_t q = 0; q < t->across; q += W) {
            float *s = t->s->s + j * t->tile + q, *dp = t->s->dp + j * t->tile + q;
            Vector p = {0}, ds = {0};
            if (q >= first) {
                Vector score = load(s),
                       keep = drops ? load(t->s->keep + j * t->tile + q) : splat(1);
                p = weight_lanes(score - load(t->s->lse + q));
                ds = p * (keep * load(dp) - load(t->s->r + q)) * scale;
                p *= keep;
                if (hides) {
                    p = choose(score == -INFINITY, (Vector){0}, p);
                    ds = choose(score == -INFINITY, (Vector){0}, ds);
                }
            }
            store(dp, ds);
            store(s, p);
        }
    }
}

/* One tile of queries against one of keys: its shares of dV, dK and dQ. */
static void attend_back(Tile *t)
{
    const Attention *a = t->a;
    const AttentionGrad *g = t->g;
    Scratch *s = t->s;
    FAST(attention_scores)(t);
    FAST(attention_dots)(t, s->dp, t->v, a->dv, s->g_turned);
    if (a->dropout > 0)
        FAST(attention_keep)(t);
    weigh_back(t);
    if (g->v_grad)
        FAST(attention_to_keys)
    (t, s->s, t->up, a->dv, g->v_grad + t->v_offset + t->j0 * a->v_stride[2], a->v_stride[2]);
    if (g->k_grad)
        FAST(attention_to_keys)
    (t, s->dp, t->q, a->d, g->k_grad + t->k_offset + t->j0 * a->k_stride[2], a->k_stride[2]);
    if (g->q_grad)
        FAST(attention_to_queries)
    (t, s->dp, t->k, a->d, g->q_grad + t->q_offset + t->i0 * a->q_stride[2], a->q_stride[2], true);
}

/* One tile of queries, from i0 on, against the keys from j0 to j1. */
static void queries_back(Tile *t, int64_t i0, int64_t j0, int64_t j1)
{
    FAST(attention_take_queries)(t, i0);
    if (j0 >= t->last)
        return;
    take_upstream(t);
    for (; j0 < j1 && j0 < t->last; j0 += t->tile)
        if (FAST(attention_take_keys)(t, j0))
            attend_back(t);
}

static void matrices_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    WITH_TILE_UNIT(amx_begin);
    for (int64_t z = begin; z < end; z++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, z);
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_back(&t, i0, 0, call->a->keys);
    }
    WITH_TILE_UNIT(amx_end);
}

static void key_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    WITH_TILE_UNIT(amx_begin);
    for (int64_t item = begin; item < end; item++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, item / call->tiles);
        int64_t j0 = from_both_ends(item % call->tiles, call->tiles) * t.tile;
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_back(&t, i0, j0, j0 + t.tile);
    }
    WITH_TILE_UNIT(amx_end);
}

static void query_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    WITH_TILE_UNIT(amx_begin);
    for (int64_t item = begin; item < end; item++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, item / call->tiles);
        queries_back(&t, from_both_ends(item % call->tiles, call->tiles) * t.tile, 0,
                     call->a->keys);
    }
    WITH_TILE_UNIT(amx_end);
}

/* `items` of which each has `queries` queries. */
static void share_out(Call *call, int64_t items, int64_t queries, ParallelBody body)
{
    int64_t grain = parallel_grain(FAST(attention_cost)(call->a, queries, 3));
    parallel_for(items, room_grain(call->a->room, items, grain), body, call);
}

void FAST(attention_back)(const Attention *a, const AttentionGrad *g)
{
    int64_t matrices = a->batch * a->heads, tile = FAST(attention_tile_size)(a);
    if (a->d > DEEPEST || a->dv > DEEPEST || a->room.parts == 0) {
        kernels_ref.attention_back(a, g);
        return;
    }
    Call call = {.a = a, .g = *g};
    if (matrices > FEW || a->queries <= tile || a->keys <= tile) {
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
