/* decode.c: attention of one to four queries, as in autoregressive decoding.
 *
 * A tile of 64 queries would be nearly empty. Instead each query passes over the keys by itself:
 *
 *     key 0   | k_0 .. k_d-1 |  . q  ->  s_0       s (keys), one row: max, exp, sum
 *     key 1   | k_0 .. k_d-1 |  . q  ->  s_1
 *     ..                                           value 0  p_0 | v_0 .. |  +
 *     key j   | k_0 .. k_d-1 |  . q  ->  s_j       value 1  p_1 | v_0 .. |  +  ..  ->  o
 *
 * Each key and each value is read once, in order, so that memory bounds the speed. One thread owns
 * a query of a head, so that each element has one order of additions. Backward, which works on
 * tiles, adds a score's products in another order; where a backward follows (lse is not NULL),
 * forward therefore works on tiles, too: scores near 1e9 may differ by 64 between the two
 * orders. */
#include "tensor/kernels/simd/attention/attention.h"

enum { MAX_QUERIES = 4, UNROLL = 4 };

/* One query: the keys it sees and its scores. */
typedef struct {
    const Attention *a;
    int64_t z, i, last; /* it sees no key `last` or a later one */
    const float *q, *k, *v;
    float *s; /* (keys), rounded up to whole vectors */
    bool masked;
} Query;

/* Item (z, i) in row-major order: the pointers to its query, keys and values, and how many keys it
 * may see. */
static Query query_at(const Attention *a, int64_t item)
{
    int64_t z = item / a->queries, i = item % a->queries, b = z / a->heads, h = z % a->heads;
    int64_t kv = attention_kv_head(a, h);
    return (Query){
        .a = a,
        .z = z,
        .i = i,
        .last = attention_last_key(a, z, i + 1),
        .q = a->q + b * a->q_stride[0] + h * a->q_stride[1] + i * a->q_stride[2],
        .k = a->k + b * a->k_stride[0] + kv * a->k_stride[1],
        .v = a->v + b * a->v_stride[0] + kv * a->v_stride[1],
        .s = scratch_part(a->scratch),
        .masked = a->mask.keep || a->mask.window > 0,
    };
}

/* Is key j, which is before `last`, visible? Only a window or a keep matrix can still hide it. */
static bool sees(const Query *q, int64_t j)
{
    return !q->masked || mask_keeps(&q->a->mask, q->z, q->i, j, q->a->queries, q->a->keys);
}

/* The scores of `count`, a constant, keys from j on: the sums proceed side by side, so that no
 * addition waits for the one before. A hidden key's score is computed and replaced. */
static inline __attribute__((always_inline)) void key_scores(const Query *q, int count, int64_t j)
{
    const Attention *a = q->a;
    const float *k = q->k + j * a->k_stride[2];
    Vector sum[UNROLL] = {0};
    for (int64_t c = 0; c < a->d; c += W) {
        Vector part = load_partial(q->q + c, a->d - c, 0);
#pragma GCC unroll 4
        for (int r = 0; r < count; r++)
            sum[r] += part * load_partial(k + r * a->k_stride[2] + c, a->d - c, 0);
    }
    for (int r = 0; r < count; r++)
        q->s[j + r] = sees(q, j + r) ? a->scale * horizontal_sum(sum[r]) : -INFINITY;
}

/* Replaces scores by weights that are not yet divided by their sum, and returns the sum; *most is
 * the largest score. The padding of the last vector gets weight 0. */
static float softmax_scores(const Query *q, float *most)
{
    Vector max = fill_lanes(-INFINITY), sum = {0};
    for (int64_t j = 0; j < q->last; j += W)
        max = vector_max(load_partial(q->s + j, q->last - j, -INFINITY), max);
    *most = horizontal_max(max);
    float shift = *most == -INFINITY
                      ? 0
                      : *most; /* a query that sees no key gets weights exp(-infinity) = 0 */
    for (int64_t j = 0; j < q->last; j += W) {
        Vector e = weight_lanes(load_partial(q->s + j, q->last - j, -INFINITY) - shift);
        sum += e;
        store(q->s + j, e);
    }
    return horizontal_sum(sum);
}

/* Hidden values are not read: 0 times NaN would be NaN.
 * out (dv) = share sum_j p_j v_j; UNROLL vectors of channels at a time. */
static void add_values(const Query *q, float *out, float share)
{
    int64_t stride = q->a->v_stride[2], dv = q->a->dv;
    for (int64_t c = 0; c < dv; c += UNROLL * W) {
        Vector sum[UNROLL] = {0};
        bool whole = dv - c >= UNROLL * W;
        for (int64_t j = 0; j < q->last; j++) {
            const float *v = q->v + j * stride + c;
            if (!sees(q, j))
                continue;
#pragma GCC unroll 4
            for (int s = 0; s < UNROLL; s++)
                sum[s] += q->s[j] * load_partial(v + s * W, whole ? W : dv - c - s * W, 0);
        }
        for (int s = 0; s < UNROLL; s++)
            store_partial(out + c + s * W, sum[s] * share, dv - c - s * W);
    }
}

/* The body of parallel_for: the items begin to end - 1. The scores of an item occupy the thread's
 * scratch memory. */
static void decode_body(int64_t begin, int64_t end, void *context)
{
    const Attention *a = context;
    for (int64_t item = begin; item < end; item++) {
        Query q = query_at(a, item);
        int64_t j = 0, b = q.z / a->heads, h = q.z % a->heads;
        for (; j + UNROLL <= q.last; j += UNROLL)
            key_scores(&q, UNROLL, j);
        for (; j < q.last; j++)
            key_scores(&q, 1, j);
        float most, total = softmax_scores(&q, &most);
        add_values(&q, a->out + ((b * a->queries + q.i) * a->heads + h) * a->dv,
                   total == 0 ? 0 : 1 / total);
    }
}

/* One row of scores, rounded up to whole vectors, must fit into a thread's scratch memory. */
bool ISA_NAME(attention_decode)(const Attention *a)
{
    if (a->queries > MAX_QUERIES || a->dropout > 0 || a->lse ||
        a->keys + W > KERNEL_SCRATCH_BYTES / (int64_t)sizeof(float))
        return false;
    int64_t items = a->batch * a->heads * a->queries;
    int64_t grain = parallel_grain(a->keys * (a->d + a->dv) / 2);
    parallel_for(items, scratch_grain(a->scratch, items, grain), decode_body, (void *)a);
    return true;
}
