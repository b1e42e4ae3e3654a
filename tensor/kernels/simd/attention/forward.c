/* forward.c: attention, forward, tile by tile.
 *
 * The equations are those of kernels/ref/attention.c; attention.h explains the online softmax, in
 * which no row of the weights A is ever stored whole:
 *
 *     S^T = K Q^T,   P^T = exp(S^T - max),   O = P V, rescaled when the maximum grows
 *
 * Tiles of keys that no query of the tile sees (beyond the diagonal, the length or the window) are
 * skipped. One thread owns a tile of queries, so that each element has one order of additions. */
#include "tensor/kernels/simd/attention/attention.h"

/* The online softmax of W queries over one tile of keys: scores become weights relative to the new
 * maximum. In three passes over the columns of the tile: the maximum, the exponentials with their
 * sum, zeros for the keys that none of these queries sees. It leaves, for rescale_out, the factor
 * exp(m - max(m, m')). */
static void softmax_update(const Tile *t, int64_t q)
{
    float *s = t->s->s + q, *max = t->s->max + q, *total = t->s->total + q;
    Vector own = fill_lanes(-INFINITY), other = own, sum = {0};
    for (int64_t j = 0; j + 1 < t->keys; j += 2) {
        own = vector_max(load(s + j * t->tile), own);
        other = vector_max(load(s + (j + 1) * t->tile), other);
    }
    if (t->keys % 2 != 0)
        own = vector_max(load(s + (t->keys - 1) * t->tile), own);
    own = vector_max(other, own);
    Vector most = vector_max(own, load(max));
    /* A query that has seen no key yet must get exp(-infinity - 0) = 0, not exp(-infinity +
     * infinity). */
    Vector shift = select_lanes(most == -INFINITY, (Vector){0}, most);
    Vector rescale = weight_lanes(load(max) - shift);
    int64_t seen = q + W + t->diagonal; /* the diagonal hides the later keys from all W queries */
    for (int64_t j = 0; j < t->keys && j < seen; j++) {
        Vector e = weight_lanes(load(s + j * t->tile) - shift);
        sum += e;
        store(s + j * t->tile, e);
    }
    for (int64_t j = seen > 0 ? seen : 0; j < t->keys; j++)
        store(s + j * t->tile, (Vector){0});
    store(max, most);
    store(total, load(total) * rescale + sum);
    store(t->s->rescale + q, rescale);
}

/* Rescales the output of the earlier tiles of keys to the new maximum. The factor is 1 for most
 * tiles, since the maximum seldom grows, and rows with that factor are left alone. */
static void rescale_out(const Tile *t, int64_t row)
{
    const float *rescale = t->s->rescale;
    for (int64_t q = 0; q < t->queries; q++)
        for (int64_t c = 0; rescale[q] != 1 && c < row; c += W) {
            float *at = t->s->out + q * row + c;
            store(at, load(at) * rescale[q]);
        }
}

/* Multiplies the weights by 0 or 1 / (1 - p). The sum of the softmax was taken before, as dropout
 * does not renormalise. */
static void apply_dropout(const Tile *t)
{
    ISA_NAME(attention_dropout_factors)(t);
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->padded_queries; q += W) {
            float *p = t->s->s + j * t->tile + q;
            store(p, load(p) * load(t->s->dropout_factor + j * t->tile + q));
        }
}

/* After the last tile of keys: out = o / l and lse = m + log l. A query that sees no key has l =
 * 0; its output is 0, and so is its lse, which backward then does not use because all its weights
 * are hidden. */
static void finish(const Tile *t, int64_t row)
{
    const Attention *a = t->a;
    float *out = a->out + t->out_offset + t->i0 * a->heads * a->dv;
    for (int64_t q = 0; q < t->queries; q++, out += a->heads * a->dv) {
        const float total = t->s->total[q], inverse = total == 0 ? 0 : 1 / total;
        if (a->lse)
            a->lse[t->z * a->queries + t->i0 + q] = total == 0 ? 0 : t->s->max[q] + logf(total);
        for (int64_t c = 0; c < a->dv; c += W)
            store_partial(out + c, load(t->s->out + q * row + c) * inverse, a->dv - c);
    }
}

/* One tile of queries, from i0 on, against all tiles of keys. The first product stores into the
 * scratch memory's output, later ones add to it; where no key is seen at all, the output is
 * zeros. */
static void attend(Tile *t, int64_t i0)
{
    Scratch *s = t->s;
    const int64_t row = round_up(t->a->dv);
    bool begun = false;
    ISA_NAME(attention_set_queries)(t, i0, NULL);
    for (int64_t q = 0; q < t->padded_queries; q += W) {
        store(s->max + q, fill_lanes(-INFINITY));
        store(s->total + q, (Vector){0});
    }
    for (int64_t j0 = 0; j0 < t->last; j0 += t->tile) {
        if (!ISA_NAME(attention_set_keys)(t, j0))
            continue;
        ISA_NAME(attention_scores)(t);
        for (int64_t q = 0; q < t->padded_queries; q += W)
            softmax_update(t, q);
        if (begun)
            rescale_out(t, row);
        if (t->a->dropout > 0)
            apply_dropout(t);
        ISA_NAME(attention_to_queries)(t, s->s, OF_V, s->out, row, begun);
        begun = true;
    }
    if (!begun)
        memset(s->out, 0, sizeof s->out);
    finish(t, row);
}

/* A call, and how its queries are divided. */
typedef struct {
    const Attention *a;
    int64_t tiles; /* of queries, in a matrix */
} Call;

/* The body of parallel_for: the items begin to end - 1, an item being (matrix, tile of queries). */
static void attention_body(int64_t begin, int64_t end, void *context)
{
    const Call *call = context;
    for (int64_t item = begin; item < end; item++) {
        Tile t = ISA_NAME(attention_tile)(call->a, NULL, item / call->tiles);
        attend(&t, from_both_ends(item % call->tiles, call->tiles) * t.tile);
    }
}

/* The kernel `attention`: decoding without tiles where it applies, else a loop over the tiles of
 * queries. Heads too deep for the scratch memory's tiles are the reference's. */
void ISA_NAME(attention)(const Attention *a)
{
    if (a->d > MAX_DEPTH || a->dv > MAX_DEPTH || a->queries == 0 || a->scratch.parts == 0) {
        ref_attention(a);
        return;
    }
    if (ISA_NAME(attention_decode)(a))
        return;
    int64_t tile = ISA_NAME(attention_tile_size)(a);
    Call call = {.a = a, .tiles = (a->queries + tile - 1) / tile};
    int64_t queries = a->queries < tile ? a->queries : tile;
    int64_t items = a->batch * a->heads * call.tiles;
    int64_t grain = parallel_grain(ISA_NAME(attention_cost)(a, queries, 1));
    parallel_for(items, scratch_grain(a->scratch, items, grain), attention_body, &call);
}
