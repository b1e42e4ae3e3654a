/* decode.c: attention of few queries, as a model that writes has them, fast.
 *
 * A tile of 64 queries of which 63 are not there is wasted work. A query goes along the keys by itself instead:
 *
 *     key 0   | k_0 .. k_d-1 |  . q  ->  s_0       s (keys), one row: max, exp, sum
 *     key 1   | k_0 .. k_d-1 |  . q  ->  s_1
 *     ..                                           value 0  p_0 | v_0 .. |  +
 *     key j   | k_0 .. k_d-1 |  . q  ->  s_j       value 1  p_1 | v_0 .. |  +  ..  ->  o
 *
 * Each key and each value is read once, in order: the pace is memory's. A query of a head has one owner, so each
 * element has one order of additions. Backward, which works on tiles, adds a score's products in another order; so
 * where a backward follows (lse is not NULL), forward works on tiles too: of scores near 1e9 the two orders may differ
 * by 64. */
#include "tensor/kernels/simd/attention/attention.h"

enum { MOST = 4, SIDE = 4 };

/* A query: what it may see, its scores. */
typedef struct {
    const Attention *a;
    int64_t z, i, last; /* it sees no key `last` or a later one */
    const float *q, *k, *v;
    float *s; /* (keys), and whole vectors */
    bool masked;
} Query;

static Query query_at(const Attention *a, int64_t item)
{
    int64_t z = item / a->queries, i = item % a->queries, b = z / a->heads, h = z % a->heads;
    int64_t kv = attention_kv_head(a, h);
    const KernelMask *mask = &a->mask;
    Query q = {
        .a = a,
        .z = z,
        .i = i,
        .last = a->keys,
        .q = a->q + b * a->q_stride[0] + h * a->q_stride[1] + i * a->q_stride[2],
        .k = a->k + b * a->k_stride[0] + kv * a->k_stride[1],
        .v = a->v + b * a->v_stride[0] + kv * a->v_stride[1],
        .s = scratch_part(a->scratch),
        .masked = mask->keep || mask->window > 0,
    };
    if (mask->lengths && mask->lengths[z / mask->heads] < q.last)
        q.last = mask->lengths[z / mask->heads];
    if (mask->causal && i + a->keys - a->queries + 1 < q.last)
        q.last = i + a->keys - a->queries + 1;
    return q;
}

static bool sees(const Query *q, int64_t j)
{
    return !q->masked || mask_keeps(&q->a->mask, q->z, q->i, j, q->a->queries, q->a->keys);
}

/* `count`, a constant, keys from j on: that many sums at once, so that none waits for itself. */
static inline __attribute__((always_inline)) void some_scores(const Query *q, int count, int64_t j)
{
    const Attention *a = q->a;
    const float *k = q->k + j * a->k_stride[2];
    Vector sum[SIDE] = {0};
    for (int64_t c = 0; c < a->d; c += W) {
        Vector some = load_some(q->q + c, a->d - c, 0);
#pragma GCC unroll 4
        for (int r = 0; r < count; r++)
            sum[r] += some * load_some(k + r * a->k_stride[2] + c, a->d - c, 0);
    }
    for (int r = 0; r < count; r++)
        q->s[j + r] = sees(q, j + r) ? a->scale * lanes_sum(sum[r]) : -INFINITY;
}

/* Scores become weights, not yet divided by their sum, which is returned; *most is the largest score. */
static float weigh(const Query *q, float *most)
{
    Vector max = splat(-INFINITY), sum = {0};
    for (int64_t j = 0; j < q->last; j += W)
        max = larger(load_some(q->s + j, q->last - j, -INFINITY), max);
    *most = lanes_max(max);
    float shift = *most == -INFINITY ? 0 : *most; /* where nothing is seen, exp is to give 0 */
    for (int64_t j = 0; j < q->last; j += W) {
        Vector e = weight_lanes(load_some(q->s + j, q->last - j, -INFINITY) - shift);
        sum += e;
        store(q->s + j, e);
    }
    return lanes_sum(sum);
}

/* What is hidden is not read: 0 times a NaN would be one. */
static void add_values(const Query *q, float *out, float share)
{
    int64_t stride = q->a->v_stride[2], dv = q->a->dv;
    for (int64_t c = 0; c < dv; c += SIDE * W) {
        Vector sum[SIDE] = {0};
        bool whole = dv - c >= SIDE * W;
        for (int64_t j = 0; j < q->last; j++) {
            const float *v = q->v + j * stride + c;
            if (!sees(q, j))
                continue;
#pragma GCC unroll 4
            for (int s = 0; s < SIDE; s++)
                sum[s] +=
                    q->s[j] * (whole ? load(v + s * W) : load_some(v + s * W, dv - c - s * W, 0));
        }
        for (int s = 0; s < SIDE; s++)
            store_some(out + c + s * W, sum[s] * share, dv - c - s * W);
    }
}

static void few_body(int64_t begin, int64_t end, void *context)
{
    const Attention *a = context;
    for (int64_t item = begin; item < end; item++) {
        Query q = query_at(a, item);
        int64_t j = 0, b = q.z / a->heads, h = q.z % a->heads;
        for (; j + SIDE <= q.last; j += SIDE)
            some_scores(&q, SIDE, j);
        for (; j < q.last; j++)
            some_scores(&q, 1, j);
        float most, total = weigh(&q, &most);
        add_values(&q, a->out + ((b * a->queries + q.i) * a->heads + h) * a->dv,
                   total == 0 ? 0 : 1 / total);
    }
}

bool FAST(attention_few)(const Attention *a)
{
    if (a->queries > MOST || a->dropout > 0 || a->lse ||
        a->keys + W > KERNEL_SCRATCH_BYTES / (int64_t)sizeof(float))
        return false;
    int64_t items = a->batch * a->heads * a->queries;
    int64_t grain = parallel_grain(a->keys * (a->d + a->dv) / 2);
    parallel_for(items, scratch_grain(a->scratch, items, grain), few_body, (void *)a);
    return true;
}
