/* kernels_fast_attention.c: attention, tile by tile, fast.
 *
 * The equations are those of kernels_ref_attention.c. A tile of queries meets the keys tile after tile,
 * and no row of A is ever stored whole (Dao et al., "FlashAttention", 2022). Scores stand transposed,
 * queries along the lanes, so that what softmax does along the keys goes down a tile, with nothing to
 * fold between lanes:
 *
 *             query 0 .. query 63                          c = 0 .. d-1
 *     key 0  |  s   s   s  ..  |               query 0    |  o  o  ..  |
 *     key 1  |  s   s   s  ..  |  down: max    query 1    |  o  o  ..  |    O = P V
 *     ..     |  ..             |  and sum      ..         |  ..        |
 *     key 63 |                 |               query 63   |            |
 *
 *     forward     S^T = K Q^T,   P^T = exp(S^T - max),   O = P V, shrunk where the maximum grew
 *     backward    P^T = exp(S^T - lse),   dP^T = V G^T,   dS^T = scale P^T (D dP^T - r)
 *                 dV += P^T G,   dK += dS^T Q,   dQ += dS K                (G = dL/dO, r_i = G_i . O_i)
 *
 * All are the one product() of kernels_fast_tiles.h, on tiles copied together from wherever the strides have them. Keys that
 * no query of the tile may see (beyond the diagonal, beyond the length) are never touched. Forward's
 * owner is a tile of queries, backward's a whole matrix: each element has one order of additions. */
#include "tensor/kernels_fast_tiles.h"

/* Queries or keys in a tile: fewer where they are deep, so that a tile's numbers fit in ROOM. */
enum { TILE = 64, ROOM = TILE * 128, DEEPEST = ROOM / 16 };

typedef struct {
    float q[ROOM], q_across[ROOM]; /* (queries, d), and scale times that transposed */
    float g[ROOM], g_across[ROOM]; /* dL/dO alike                                    */
    float k[ROOM], v[ROOM];        /* (keys, d), (keys, dv)                          */
    float out[ROOM], dk[ROOM];     /* O or dQ; one tile of dK or dV                  */
    float s[TILE * TILE], dp[TILE * TILE], keep[TILE * TILE]; /* (keys, queries)       */
    float max[TILE], total[TILE], shrink[TILE], lse[TILE], r[TILE];
} __attribute__((aligned(64))) Scratch;

static _Thread_local Scratch scratch;

/* One tile of queries of one matrix, and the keys that stand in scratch. */
typedef struct {
    const Attention *a;
    const AttentionGrad *g;
    Scratch *s;
    int64_t z, tile, depth, depth_v; /* depth: d, rounded up to whole vectors */
    int64_t q_offset, k_offset, v_offset, out_offset;
    int64_t i0, queries, across; /* across: queries, rounded up alike */
    int64_t j0, keys, last;      /* last: keys that some query of the tile may see */
} Tile;

/* ---- scores --------------------------------------------------------------------------------------------- */

static Tile tile_of(const Attention *a, const AttentionGrad *g, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads;
    Tile t = {
        .a = a,
        .g = g,
        .s = &scratch,
        .z = z,
        .depth = round_up(a->d),
        .depth_v = round_up(a->dv),
        .q_offset = b * a->q_stride[0] + h * a->q_stride[1],
        .k_offset = b * a->k_stride[0] + h * a->k_stride[1],
        .v_offset = b * a->v_stride[0] + h * a->v_stride[1],
        .out_offset = (b * a->queries * a->heads + h) * a->dv,
    };
    return t;
}

/* A power of 2 from 16 to TILE: a function of the shape alone. */
static int64_t tile_size(const Attention *a)
{
    int64_t depth = round_up(a->d > a->dv ? a->d : a->dv), tile = TILE;
    while (tile * depth > ROOM)
        tile /= 2;
    return tile;
}

/* Takes up the queries from i0 on. */
static void take_queries(Tile *t, int64_t i0)
{
    const Attention *a = t->a;
    const KernelMask *mask = &a->mask;
    t->i0 = i0;
    t->queries = a->queries - i0 < t->tile ? a->queries - i0 : t->tile;
    t->across = round_up(t->queries);
    t->last = a->keys;
    if (mask->lengths && mask->lengths[t->z / mask->heads] < t->last)
        t->last = mask->lengths[t->z / mask->heads];
    int64_t diagonal = i0 + t->queries + a->keys - a->queries;
    if (mask->causal && diagonal < t->last)
        t->last = diagonal;
    gather_across(t->s->q_across, t->tile, a->q + t->q_offset + i0 * a->q_stride[2], a->q_stride[2],
                  t->queries, a->d, t->across, a->scale);
}

/* Takes up the keys and values from j0 on. */
static void take_keys(Tile *t, int64_t j0)
{
    const Attention *a = t->a;
    t->j0 = j0;
    t->keys = t->last - j0 < t->tile ? t->last - j0 : t->tile;
    gather(t->s->k, t->depth, a->k + t->k_offset + j0 * a->k_stride[2], a->k_stride[2], t->keys,
           a->d);
    gather(t->s->v, t->depth_v, a->v + t->v_offset + j0 * a->v_stride[2], a->v_stride[2], t->keys,
           a->dv);
}

/* -infinity where query and key may not meet. Lengths have been seen to by `last`; a causal mask alone
 * shows in the tiles on the diagonal; anything else is asked for each element. */
static void mask_scores(const Tile *t)
{
    const Attention *a = t->a;
    const KernelMask *mask = &a->mask;
    float *s = t->s->s;
    if (mask->window > 0 || mask->keep) {
        for (int64_t j = 0; j < t->keys; j++)
            for (int64_t q = 0; q < t->queries; q++)
                if (!mask_keeps(mask, t->z, t->i0 + q, t->j0 + j, a->queries, a->keys))
                    s[j * t->tile + q] = -INFINITY;
        return;
    }
    int64_t first = t->j0 - (t->i0 + a->keys - a->queries); /* the first query to see key j0 */
    for (int64_t j = 0; mask->causal && j < t->keys; j++)
        for (int64_t q = 0; q < first + j && q < t->queries; q++)
            s[j * t->tile + q] = -INFINITY;
}

static void make_scores(const Tile *t)
{
    Scratch *s = t->s;
    product(t->keys, t->across, t->a->d, s->k, t->depth, 1, s->q_across, t->tile, s->s, t->tile,
            false);
    mask_scores(t);
}

/* D_ij of the tile, by the rule of kernel_keeps, whose random numbers come in fours along the keys. */
static void make_keep(const Tile *t)
{
    const Attention *a = t->a;
    const uint32_t key[2] = {(uint32_t)a->seed, (uint32_t)(a->seed >> 32)};
    const float kept = 1 / (1 - a->dropout);
    uint32_t bits[4];
    for (int64_t q = 0; q < t->queries; q++) {
        uint64_t place = (uint64_t)((t->z * a->queries + t->i0 + q) * a->keys + t->j0);
        for (int64_t j = 0; j < t->keys; j++, place++) {
            uint64_t block = place / 4;
            uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)a->stream,
                                   (uint32_t)(a->stream >> 32)};
            if (j == 0 || place % 4 == 0)
                rng_philox(counter, key, bits);
            bool stays = bits[place % 4] * 0x1p-32 >= (double)a->dropout;
            t->s->keep[j * t->tile + q] = stays ? kept : 0;
        }
    }
}

/* ---- forward ---------------------------------------------------------------------------------------------- */

/* Down one vector of queries: scores become weights, under the new maximum. */
static void weigh(const Tile *t, int64_t q)
{
    float *s = t->s->s + q, *max = t->s->max + q, *total = t->s->total + q;
    Vector most = load(max), sum = {0};
    for (int64_t j = 0; j < t->keys; j++)
        most = larger(load(s + j * t->tile), most);
    /* Where nothing was seen yet, exp(-infinity - 0) = 0 is meant, not exp(-infinity + infinity). */
    Vector shift = choose(most == -INFINITY, (Vector){0}, most);
    Vector shrink = exp_lanes(load(max) - shift);
    for (int64_t j = 0; j < t->keys; j++) {
        Vector e = exp_lanes(load(s + j * t->tile) - shift);
        sum += e;
        store(s + j * t->tile, e);
    }
    store(max, most);
    store(total, load(total) * shrink + sum);
    store(t->s->shrink + q, shrink);
}

/* What the tiles of keys before this one gave shrinks with the new maximum. */
static void shrink_out(const Tile *t)
{
    for (int64_t q = 0; q < t->queries; q++) {
        float *out = t->s->out + q * t->depth_v, shrink = t->s->shrink[q];
        for (int64_t c = 0; shrink != 1 && c < t->depth_v; c += W)
            store(out + c, load(out + c) * shrink);
    }
}

static void drop_weights(const Tile *t)
{
    make_keep(t);
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->across; q += W) {
            float *p = t->s->s + j * t->tile + q;
            store(p, load(p) * load(t->s->keep + j * t->tile + q));
        }
}

static void finish(const Tile *t)
{
    const Attention *a = t->a;
    for (int64_t q = 0; q < t->queries; q++) {
        const float *from = t->s->out + q * t->depth_v;
        float *out = a->out + t->out_offset + (t->i0 + q) * a->heads * a->dv;
        float total = t->s->total[q], share = total == 0 ? 0 : 1 / total;
        for (int64_t c = 0; c < a->dv; c += W)
            store_some(out + c, load(from + c) * share, a->dv - c);
        a->lse[t->z * a->queries + t->i0 + q] = total == 0 ? 0 : t->s->max[q] + logf(total);
    }
}

static void attend(Tile *t, int64_t i0)
{
    Scratch *s = t->s;
    take_queries(t, i0);
    for (int64_t q = 0; q < t->across; q += W) {
        store(s->max + q, splat(-INFINITY));
        store(s->total + q, (Vector){0});
    }
    if (t->last <= 0)
        memset(s->out, 0, (size_t)(t->queries * t->depth_v) * sizeof *s->out);
    for (int64_t j0 = 0; j0 < t->last; j0 += t->tile) {
        take_keys(t, j0);
        make_scores(t);
        for (int64_t q = 0; q < t->across; q += W)
            weigh(t, q);
        if (j0 > 0)
            shrink_out(t);
        if (t->a->dropout > 0)
            drop_weights(t);
        product(t->queries, t->depth_v, t->keys, s->s, 1, t->tile, s->v, t->depth_v, s->out,
                t->depth_v, j0 > 0);
    }
    finish(t);
}

typedef struct {
    const Attention *a;
    const AttentionGrad *g;
    int64_t tile, tiles; /* queries in a tile; tiles in a matrix */
} Call;

static void attention_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t item = begin; item < end; item++) {
        Tile t = tile_of(call->a, NULL, item / call->tiles);
        t.tile = call->tile;
        attend(&t, item % call->tiles * t.tile);
    }
}

/* What a query costs against n keys, in plain additions of W lanes' worth. */
static int64_t cost_of(const Attention *a, int64_t queries, int64_t products)
{
    return queries * (a->keys + 8) * (products * (a->d + a->dv) / 16 + 4);
}

static void attention(const Attention *a)
{
    if (a->d > DEEPEST || a->dv > DEEPEST || a->queries == 0) {
        kernels_ref.attention(a);
        return;
    }
    Call call = {.a = a, .tile = tile_size(a)};
    call.tiles = (a->queries + call.tile - 1) / call.tile;
    int64_t queries = a->queries < call.tile ? a->queries : call.tile;
    parallel_for(a->batch * a->heads * call.tiles, parallel_grain(cost_of(a, queries, 1)),
                 attention_body, &call);
}

/* ---- backward ----------------------------------------------------------------------------------------------- */

/* Takes up G, r and lse of the tile's queries; for the padding, zeros. */
static void take_upstream(Tile *t)
{
    const Attention *a = t->a;
    Scratch *s = t->s;
    int64_t stride = a->heads * a->dv, at = t->out_offset + t->i0 * stride;
    const float *g = t->g->out_grad + at, *out = a->out + at;
    gather(s->g, t->depth_v, g, stride, t->queries, a->dv);
    gather_across(s->g_across, t->tile, g, stride, t->queries, a->dv, t->across, 1);
    gather(s->q, t->depth, a->q + t->q_offset + t->i0 * a->q_stride[2], a->q_stride[2], t->queries,
           a->d);
    for (int64_t q = 0; q < t->across; q++) {
        bool there = q < t->queries;
        s->r[q] = there ? (float)dot_of(g + q * stride, out + q * stride, a->dv) : 0;
        s->lse[q] = there ? a->lse[t->z * a->queries + t->i0 + q] : 0;
    }
}

/* From scores and dP to D P (in s) and dS (in dp). */
static void weigh_back(const Tile *t)
{
    const float scale = t->a->scale;
    bool drops = t->a->dropout > 0;
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->across; q += W) {
            float *s = t->s->s + j * t->tile + q, *dp = t->s->dp + j * t->tile + q;
            Vector p = exp_lanes(load(s) - load(t->s->lse + q));
            Vector keep = drops ? load(t->s->keep + j * t->tile + q) : splat(1);
            store(dp, p * (keep * load(dp) - load(t->s->r + q)) * scale);
            store(s, p * keep);
        }
}

/* One tile of queries against one of keys: its shares of dV, dK and dQ. */
static void attend_back_tile(const Tile *t)
{
    const Attention *a = t->a;
    const AttentionGrad *g = t->g;
    Scratch *s = t->s;
    make_scores(t);
    product(t->keys, t->across, a->dv, s->v, t->depth_v, 1, s->g_across, t->tile, s->dp, t->tile,
            false);
    if (a->dropout > 0)
        make_keep(t);
    weigh_back(t);
    if (g->v_grad) {
        product(t->keys, t->depth_v, t->queries, s->s, t->tile, 1, s->g, t->depth_v, s->dk,
                t->depth_v, false);
        scatter_add(g->v_grad + t->v_offset + t->j0 * a->v_stride[2], a->v_stride[2], s->dk,
                    t->depth_v, t->keys, a->dv);
    }
    if (g->k_grad) {
        product(t->keys, t->depth, t->queries, s->dp, t->tile, 1, s->q, t->depth, s->dk, t->depth,
                false);
        scatter_add(g->k_grad + t->k_offset + t->j0 * a->k_stride[2], a->k_stride[2], s->dk,
                    t->depth, t->keys, a->d);
    }
    if (g->q_grad)
        product(t->queries, t->depth, t->keys, s->dp, 1, t->tile, s->k, t->depth, s->out, t->depth,
                t->j0 > 0);
}

static void attention_back_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    const Attention *a = call->a;
    for (int64_t z = begin; z < end; z++) {
        Tile t = tile_of(a, call->g, z);
        t.tile = call->tile;
        for (int64_t i0 = 0; i0 < a->queries; i0 += t.tile) {
            take_queries(&t, i0);
            take_upstream(&t);
            for (int64_t j0 = 0; j0 < t.last; j0 += t.tile) {
                take_keys(&t, j0);
                attend_back_tile(&t);
            }
            if (call->g->q_grad && t.last > 0)
                scatter_add(call->g->q_grad + t.q_offset + i0 * a->q_stride[2], a->q_stride[2],
                            t.s->out, t.depth, t.queries, a->d);
        }
    }
}

static void attention_back(const Attention *a, const AttentionGrad *g)
{
    if (a->d > DEEPEST || a->dv > DEEPEST) {
        kernels_ref.attention_back(a, g);
        return;
    }
    Call call = {.a = a, .g = g, .tile = tile_size(a)};
    parallel_for(a->batch * a->heads, parallel_grain(cost_of(a, a->queries, 3)),
                 attention_back_body, &call);
}

void FAST(kernels_fill_attention)(Kernels *k)
{
    k->attention = attention;
    k->attention_back = attention_back;
}
