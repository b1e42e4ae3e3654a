/* forward.c: attention forward, tile by tile, fast.
 *
 * The equations are those of kernels/ref/attention.c. A tile of queries meets the keys tile after tile, and no
 * row of A is ever stored whole (Dao et al., "FlashAttention", 2022):
 *
 *     S^T = K Q^T,   P^T = exp(S^T - max),   O = P V, shrunk where the maximum grew
 *
 * Tiles of keys that no query of the tile may see (beyond the diagonal, the length, the window) are never
 * touched. A tile of queries has one owner, so each element has one order of additions.
 *
 * Causal, 4 heads of 64, forward and backward together, at best: T 64 0.065 ms, 256 0.54, 1024 7.4, 4096 117: two
 * threads of a Xeon with AVX-512 that did other work too, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/simd/attention/attention.h"

/* Down one vector of queries: scores become weights, under the new maximum. */
static void weigh(const Tile *t, int64_t q)
{
    float *s = t->s->s.at + q, *max = t->s->max + q, *total = t->s->total + q;
    Vector own = splat(-INFINITY), other = own, sum = {0};
    for (int64_t j = 0; j + 1 < t->keys; j += 2) {
        own = larger(load(s + j * t->tile), own);
        other = larger(load(s + (j + 1) * t->tile), other);
    }
    if (t->keys % 2 != 0)
        own = larger(load(s + (t->keys - 1) * t->tile), own);
    own = larger(other, own);
    Vector most = larger(own, load(max));
    /* Where nothing was seen yet, exp(-infinity - 0) = 0 is meant, not exp(-infinity + infinity). */
    Vector shift = choose(most == -INFINITY, (Vector){0}, most);
    Vector shrink = weight_lanes(load(max) - shift);
    int64_t seen = q + W + t->diagonal; /* beyond, the diagonal hides all W of them */
    for (int64_t j = 0; j < t->keys && j < seen; j++) {
        Vector e = weight_lanes(load(s + j * t->tile) - shift);
        sum += e;
        store(s + j * t->tile, e);
    }
    for (int64_t j = seen > 0 ? seen : 0; j < t->keys; j++)
        store(s + j * t->tile, (Vector){0});
    store(max, most);
    store(total, load(total) * shrink + sum);
    store(t->s->shrink + q, shrink);
    store(t->s->s.of_queries + q, weight_lanes(own - shift));
}

/* What the tiles of keys before this one gave shrinks with the new maximum. */
static void shrink_out(const Tile *t, const Out *out)
{
    const float *shrink = t->s->shrink;
    if (out->row == 1) {
        for (int64_t c = 0; c < out->n; c++)
            for (int64_t q = 0; q < t->across; q += W) {
                float *at = out->x + c * out->column + q;
                store(at, load(at) * load(shrink + q));
            }
        return;
    }
    for (int64_t q = 0; q < t->queries; q++)
        for (int64_t c = 0; shrink[q] != 1 && c < out->n; c += W) {
            float *at = out->x + q * out->row + c;
            store(at, load(at) * shrink[q]);
        }
}

static void drop_weights(const Tile *t)
{
    float *largest = t->s->s.of_queries;
    FAST(attention_keep)(t);
    for (int64_t q = 0; q < t->across; q += W)
        store(largest + q, load(largest + q) * (1 / (1 - t->a->dropout)));
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->across; q += W) {
            float *p = t->s->s.at + j * t->tile + q;
            store(p, load(p) * load(t->s->keep + j * t->tile + q));
        }
}

static void finish(const Tile *t, const Out *out)
{
    const Attention *a = t->a;
    float *total = t->s->total;
    for (int64_t q = 0; q < t->queries; q++) {
        if (a->lse)
            a->lse[t->z * a->queries + t->i0 + q] = total[q] == 0 ? 0 : t->s->max[q] + logf(total[q]);
        total[q] = total[q] == 0 ? 0 : 1 / total[q];
    }
    int64_t row = a->heads * a->dv;
    FAST(attention_put_out)(t, out, a->out + t->out_offset + t->i0 * row, row, total);
}

static void attend(Tile *t, int64_t i0)
{
    Scratch *s = t->s;
    bool begun = false;
    FAST(attention_take_queries)(t, i0, NULL);
    Out out = FAST(attention_out)(t, t->a->dv);
    for (int64_t q = 0; q < t->across; q += W) {
        store(s->max + q, splat(-INFINITY));
        store(s->total + q, (Vector){0});
    }
    for (int64_t j0 = 0; j0 < t->last; j0 += t->tile) {
        if (!FAST(attention_take_keys)(t, j0))
            continue;
        FAST(attention_scores)(t);
        for (int64_t q = 0; q < t->across; q += W)
            weigh(t, q);
        if (begun)
            shrink_out(t, &out);
        if (t->a->dropout > 0)
            drop_weights(t);
        FAST(attention_to_queries)(t, &s->s, OF_V, &out, begun);
        begun = true;
    }
    if (!begun)
        memset(s->out, 0, sizeof s->out);
    finish(t, &out);
}

typedef struct {
    const Attention *a;
    int64_t tiles; /* of queries, in a matrix */
} Call;

static void attention_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    attention_begin(call->a);
    for (int64_t item = begin; item < end; item++) {
        Tile t = FAST(attention_tile)(call->a, NULL, item / call->tiles);
        attend(&t, from_both_ends(item % call->tiles, call->tiles) * t.tile);
    }
    attention_end();
}

static void attention(const Attention *a)
{
    if (a->d > DEEPEST || a->dv > DEEPEST || a->queries == 0 || a->scratch.parts == 0) {
        kernels_ref.attention(a);
        return;
    }
    if (FAST(attention_few)(a))
        return;
    int64_t tile = FAST(attention_tile_size)(a);
    Call call = {.a = a, .tiles = (a->queries + tile - 1) / tile};
    int64_t queries = a->queries < tile ? a->queries : tile;
    int64_t items = a->batch * a->heads * call.tiles;
    int64_t grain = parallel_grain(FAST(attention_cost)(a, queries, 1));
    parallel_for(items, scratch_grain(a->scratch, items, grain), attention_body, &call);
}

void FAST(kernels_fill_attention)(Kernels *k)
{
    k->attention = attention;
    k->attention_backward = FAST(attention_backward);
}
