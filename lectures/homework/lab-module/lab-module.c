/* lab-module.c: a module of one's own, grouped-query attention. README.md has its equations. */
#include "lab-module.h"

#include <math.h>

bool grouped_attention_init(GroupedAttention *a, Params *p, const char *path, int64_t channels,
                            int heads, int kv_heads)
{
    /* BEGIN SOLUTION: check the sizes, then register four linear layers below the path */
    if (heads < 1 || kv_heads < 1)
        return tensor_fail("grouped_attention_init: %d heads, %d of keys; expected 1 or more",
                           heads, kv_heads);
    if (heads % kv_heads != 0)
        return tensor_fail("grouped_attention_init: %d heads, %d of keys; expected a divisor",
                           heads, kv_heads);
    if (channels % heads != 0)
        return tensor_fail("grouped_attention_init: %lld channels, %d heads; expected a divisor",
                           (long long)channels, heads);
    int64_t size = channels / heads;
    int64_t narrow = kv_heads * size;
    bool biased = false;
    *a = (GroupedAttention){.heads = heads, .kv_heads = kv_heads};
    a->path = params_path(p, "%s", path);
    const char *query = params_path(p, "%s.query", path);
    const char *key = params_path(p, "%s.key", path);
    const char *value = params_path(p, "%s.value", path);
    const char *out = params_path(p, "%s.out", path);
    bool good = nn_linear_init(&a->query, p, query, channels, channels, biased);
    good = good && nn_linear_init(&a->key, p, key, channels, narrow, biased);
    good = good && nn_linear_init(&a->value, p, value, channels, narrow, biased);
    good = good && nn_linear_init(&a->out, p, out, channels, channels, biased);
    return good;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a function that splits the channels of x into heads */
/* x (B, T, G r d) -> (B, G, r, T, d): r heads in each of G groups. */
static Tensor *split(Tensor *x, int64_t groups, int64_t each)
{
    int64_t batch = x->shape.dim[0], tokens = x->shape.dim[1];
    int64_t size = x->shape.dim[2] / (groups * each);
    Tensor *parts = ag_reshape(x, shape5(batch, tokens, groups, each, size));
    return ag_permute(parts, (int[]){0, 2, 3, 1, 4});
}

/* (B, G, r, T, n) -> (B, H, T, n). */
static Tensor *merge(Tensor *x)
{
    const int64_t *n = x->shape.dim;
    return ag_reshape(x, shape4(n[0], n[1] * n[2], n[3], n[4]));
}

static Tensor *refuse(Shape x, int64_t channels)
{
    tensor_fail("grouped_attention: x is %s; expected (B, T, C) or (T, C) with C = %lld",
                shape_str(x), (long long)channels);
    return tensor_poison();
}
/* END SOLUTION */

Tensor *grouped_attention(const GroupedAttention *a, Tensor *x, Mask mask)
{
    /* BEGIN SOLUTION: project, split into heads, scores, masked softmax, weighted sum, join,
     * project */
    Shape whole = x->shape;
    int64_t channels = shape_last(a->query.weight->shape);
    if (whole.rank != 2 && whole.rank != 3)
        return refuse(whole, channels);
    if (shape_last(whole) != channels)
        return refuse(whole, channels);
    int64_t tokens = whole.dim[whole.rank - 2];
    Tensor *rows = ag_reshape(x, shape3(-1, tokens, channels));
    int groups = a->kv_heads, each = a->heads / a->kv_heads;
    Tensor *q = split(nn_linear(&a->query, rows), groups, each);
    Tensor *k = split(nn_linear(&a->key, rows), groups, 1);
    Tensor *v = split(nn_linear(&a->value, rows), groups, 1);
    double size = (double)(channels / a->heads);
    Tensor *products = ag_matmul(q, ag_transpose(k, -1, -2));
    Tensor *scores = merge(ag_scale(products, (real)(1 / sqrt(size))));
    Tensor *weights = ag_masked_softmax(scores, mask);
    if (x->tape->keep_maps)
        ag_name(weights, "%s.A", a->path);
    Tensor *grouped = ag_reshape(weights, products->shape);
    Tensor *heads = merge(ag_matmul(grouped, v));
    Tensor *joined = ag_reshape(ag_transpose(heads, 1, 2), shape3(-1, tokens, channels));
    Tensor *y = nn_linear(&a->out, joined);
    return ag_reshape(y, whole);
    /* END SOLUTION */
}
