/* backward.c: attention backward, tile by tile, fast.
 *
 * The equations are those of kernels/ref/attention.c; weights are made again from each query's log-sum-exp:
 *
 *     P^T = exp(S^T - lse),   dP^T = V G^T,   dS^T = scale P^T (D dP^T - r)
 *     dV += P^T G,   dK += dS^T Q,   dQ += dS K                       (G = dL/dO, r_i = G_i . O_i)
 *
 * Each product adds straight to the gradient in memory. Where there are many matrices, each has one owner, who
 * meets every tile of queries with all its keys. Where there are few, the tiles of keys have owners for dK and
 * dV, then the tiles of queries for dQ: two products more, but all threads have work. Either way an element's
 * additions have one order. */
#include "tensor/kernels/simd/attention/attention.h"

/* Up to so many matrices count as few: a function of the shape, never of the threads. */
enum { FEW = 3 };

/* Which gradients are wanted now. */
typedef struct {
    const Attention *a;
    AttentionGrad g;
    int64_t tiles; /* in a matrix */
} Call;

/* Takes up r and lse of the tile's queries; for the padding, those of no weight. */
static void take_upstream(Tile *t)
{
    const Attention *a = t->a;
    Scratch *s = t->s;
    int64_t stride = a->heads * a->dv, at = t->out_offset + t->i0 * stride;
    const float *g = t->strip[OF_UP].x, *out = a->out + at;
    for (int64_t i = 0; i < t->across; i++) {
        bool there = i < t->queries;
        s->r[i] = there ? (float)dot_of(g + i * stride, out + i * stride, a->dv) : 0;
        s->lse[i] = there ? a->lse[t->z * a->queries + t->i0 + i] : INFINITY;
    }
}

/* Where products are made of digits (kernels/amx/tile_int8.h), these are measured by the largest numbers without their
 * signs: of `most` and x, */
static inline Vector largest(Vector most, Vector x)
{
#ifdef TILE_UNIT
    return (Vector)larger_bits((__m512i)most, (__m512)x);
#else
    (void)x;
    return most;
#endif
}

enum { ABREAST = 4 };

/* and of the lanes of each of four vectors, of which the first `count` are there. */
static inline void largest_lanes(float *to, const Vector *most, int count)
{
#ifdef TILE_UNIT
    __m512i v[ABREAST] = {0};
    for (int r = 0; r < count; r++)
        v[r] = (__m512i)most[r];
    _mm_storeu_si128((__m128i *)to, larger_lanes(v));
#else
    (void)to;
    (void)most;
    (void)count;
#endif
}

/* From scores and dP to D P (in s) and dS (in dp): `count` keys from j on; that and whether they are measured are
 * constants. What is hidden has weight 0, whatever stands in dP. */
static inline __attribute__((always_inline)) void weigh_keys(const Tile *t, int64_t j, int count,
                                                             bool measured)
{
    Weights *weights = &t->s->s, *grads = &t->s->dp;
    const float scale = t->a->scale;
    bool drops = t->a->dropout > 0, hides = t->masked || t->diagonal < TILE;
    Vector most_p[ABREAST] = {0}, most_ds[ABREAST] = {0};
    int64_t first = j > t->diagonal ? (j - t->diagonal) / W * W : 0;
    for (int k = 0; k < count; k++)
        for (int64_t q = 0; q < first && q < t->across; q += W) {
            store(weights->at + (j + k) * t->tile + q, (Vector){0});
            store(grads->at + (j + k) * t->tile + q, (Vector){0});
        }
    for (int64_t q = first; q < t->across; q += W) {
        Vector lse = load(t->s->lse + q), r = load(t->s->r + q);
        Vector most = load(grads->of_queries + q);
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) {
            float *s = weights->at + (j + k) * t->tile + q, *dp = grads->at + (j + k) * t->tile + q;
            Vector score = load(s), keep = splat(1);
            if (drops)
                keep = load(t->s->keep + (j + k) * t->tile + q);
            Vector p = weight_lanes(score - lse);
            Vector ds = p * (keep * load(dp) - r) * scale;
            p *= keep;
            if (hides) {
                p = choose(score == -INFINITY, (Vector){0}, p);
                ds = choose(score == -INFINITY, (Vector){0}, ds);
            }
            if (measured) {
                most = largest(most, ds);
                most_p[k] = largest(most_p[k], p);
                most_ds[k] = largest(most_ds[k], ds);
            }
            store(dp, ds);
            store(s, p);
        }
        store(grads->of_queries + q, most);
    }
    if (measured) {
        largest_lanes(weights->of_keys + j, most_p, count);
        largest_lanes(grads->of_keys + j, most_ds, count);
    }
}

static void weigh_backward(const Tile *t)
{
    Weights *grads = &t->s->dp;
    int64_t j = 0;
    memset(grads->of_queries, 0, sizeof grads->of_queries);
    for (; attention_has_digits(t) && j + ABREAST <= t->keys; j += ABREAST)
        weigh_keys(t, j, ABREAST, true);
    for (; attention_has_digits(t) && j < t->keys; j++)
        weigh_keys(t, j, 1, true);
    for (; j + ABREAST <= t->keys; j += ABREAST)
        weigh_keys(t, j, ABREAST, false);
    for (; j < t->keys; j++)
        weigh_keys(t, j, 1, false);
}

/* One tile of queries against one of keys: its shares of dV, dK and dQ. */
static void attend_backward(Tile *t, const Out *out, bool begun)
{
    const Attention *a = t->a;
    const AttentionGrad *g = t->g;
    Scratch *s = t->s;
    FAST(attention_scores)(t);
    FAST(attention_dots)(t, s->dp.at, OF_V);
    if (a->dropout > 0)
        FAST(attention_keep)(t);
    weigh_backward(t);
    if (g->v_grad)
        FAST(attention_to_keys)
    (t, &s->s, OF_UP, g->v_grad + t->v_offset + t->j0 * a->v_stride[2], a->v_stride[2]);
    if (g->k_grad)
        FAST(attention_to_keys)
    (t, &s->dp, OF_Q, g->k_grad + t->k_offset + t->j0 * a->k_stride[2], a->k_stride[2]);
    if (g->q_grad)
        FAST(attention_to_queries)(t, &s->dp, OF_K, out, begun);
}

/* One tile of queries, from i0 on, against the keys from j0 to j1. */
static void queries_backward(Tile *t, int64_t i0, int64_t j0, int64_t j1)
{
    const Attention *a = t->a;
    float *q_grad = t->g->q_grad ? t->g->q_grad + t->q_offset + i0 * a->q_stride[2] : NULL;
    FAST(attention_take_queries)
    (t, i0, t->g->out_grad + t->out_offset + i0 * a->heads * a->dv);
    if (j0 >= t->last)
        return;
    Out out = FAST(attention_out)(t, a->d);
    bool straight = out.column == 1, begun = straight;
    if (straight)
        out = (Out){q_grad, a->q_stride[2], 1, a->d};
    take_upstream(t);
    for (; j0 < j1 && j0 < t->last; j0 += t->tile)
        if (FAST(attention_take_keys)(t, j0)) {
            attend_backward(t, &out, begun);
            begun = true;
        }
    if (begun && q_grad && !straight)
        FAST(attention_put_out)(t, &out, q_grad, a->q_stride[2], NULL);
}

static void matrices_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    attention_begin(call->a);
    for (int64_t z = begin; z < end; z++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, z);
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_backward(&t, i0, 0, call->a->keys);
    }
    attention_end();
}

static void key_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    attention_begin(call->a);
    for (int64_t item = begin; item < end; item++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, item / call->tiles);
        int64_t j0 = from_both_ends(item % call->tiles, call->tiles) * t.tile;
        for (int64_t i0 = 0; i0 < call->a->queries; i0 += t.tile)
            queries_backward(&t, i0, j0, j0 + t.tile);
    }
    attention_end();
}

static void query_tiles_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    attention_begin(call->a);
    for (int64_t item = begin; item < end; item++) {
        Tile t = FAST(attention_tile)(call->a, &call->g, item / call->tiles);
        queries_backward(&t, from_both_ends(item % call->tiles, call->tiles) * t.tile, 0,
                         call->a->keys);
    }
    attention_end();
}

/* `items` of which each has `queries` queries. */
static void share_out(Call *call, int64_t items, int64_t queries, ParallelBody body)
{
    int64_t grain = parallel_grain(FAST(attention_cost)(call->a, queries, 3));
    parallel_for(items, scratch_grain(call->a->scratch, items, grain), body, call);
}

void FAST(attention_backward)(const Attention *a, const AttentionGrad *g)
{
    int64_t matrices = a->batch * a->heads, tile = FAST(attention_tile_size)(a);
    if (a->d > DEEPEST || a->dv > DEEPEST || a->scratch.parts == 0) {
        kernels_ref.attention_backward(a, g);
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
