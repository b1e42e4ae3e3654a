/* attention.c: the attention of other people's models: that of nn/attention.c, with what families
 * add to it, each where config.json says so.
 *   q = rotate(norm(W_q x + b_q)), k likewise, v = W_v x + b_v;   H heads of q, G of k and v, of d channels
 *   A = softmax(s q k^T + b over the keys in the window),  s = 1 / sqrt(d) unless it is given
 *   y = [A_1 v, ..., A_H v] W_o^T + b_o
 * Grouped heads: Ainslie et al. 2023; rotary positions: Su et al. 2021 (autograd/ops/rotary.c);
 * b, a bias for each distance: relative.c. */
#include "nn/pretrained/inside.h"

#include <math.h>

/* Of the rows of in_proj_weight, the first that belongs to a part: queries (0), keys (1), values
 * (2); of part 3, their number. */
static int64_t row_of(const PretrainedAttention *a, int part)
{
    return a->head_size * (part > 0 ? a->heads + (part - 1) * a->kv_heads : 0);
}

bool pretrained_attention_init(PretrainedAttention *a, Pretrained *m, const char *path)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    const bool in_bias = !(c->no_bias & NO_BIAS_IN), out_bias = !(c->no_bias & NO_BIAS_OUT);
    *a = (PretrainedAttention){.heads = c->heads,
                               .kv_heads = c->kv_heads,
                               .head_size = c->head_size,
                               .farthest = c->farthest,
                               .scale = (real)c->query_scale,
                               .dropout = (real)c->dropout,
                               .path = path};
    int64_t rows = row_of(a, 3);
    a->in_proj_weight = params_add(p, params_path(p, "%s.in_proj_weight", path),
                                   shape2(rows, c->channels), nn_constant(0));
    if (in_bias)
        a->in_proj_bias =
            params_add(p, params_path(p, "%s.in_proj_bias", path), shape1(rows), nn_constant(0));
    bool ok = a->in_proj_weight && (a->in_proj_bias || !in_bias) &&
              nn_linear_init(&a->out_proj, p, params_path(p, "%s.out_proj", path), row_of(a, 1),
                             c->channels, out_bias);
    if (c->qk_epsilon > 0)
        ok = ok &&
             norm_init(&a->q_norm, p, params_path(p, "%s.q_norm", path), a->head_size, NORM_RMS,
                       c->qk_epsilon, "nn_norm") &&
             norm_init(&a->k_norm, p, params_path(p, "%s.k_norm", path), a->head_size, NORM_RMS,
                       c->qk_epsilon, "nn_norm");
    return ok;
}

/* Parts first .. end - 1 of x (B, T, C), side by side. The weight's rows are a view; nothing is
 * copied, and their gradient is part of the weight's. */
static Tensor *project(const PretrainedAttention *a, Tensor *x, int first, int end)
{
    static const char *const names[] = {"q_proj", "kv", "qkv"};
    Tensor *W = a->in_proj_weight, *b = a->in_proj_bias;
    if (end - first < 3) {
        W = ag_slice(tape_param(x->tape, W), 0, row_of(a, first), row_of(a, end));
        b = b ? ag_slice(tape_param(x->tape, b), 0, row_of(a, first), row_of(a, end)) : NULL;
    }
    return given_name(ag_linear(x, W, b), a->path, names[end - first - 1]);
}

/* A part of x, which begins with part `first`, as heads: a view (B, H or G, T, d). */
static Tensor *heads(const PretrainedAttention *a, Tensor *x, int part, int first)
{
    int64_t from = row_of(a, part) - row_of(a, first), size = row_of(a, part + 1) - row_of(a, part);
    Shape s = shape4(x->shape.dim[0], x->shape.dim[1], size / a->head_size, a->head_size);
    return ag_transpose(ag_reshape(ag_slice(x, 2, from, from + size), s), 1, 2);
}

/* The heads of queries or keys after their norm, turned by the angles of their positions. */
static Tensor *rotated(const PretrainedAttention *a, const Norm *norm, Tensor *x, Tensor *positions)
{
    if (norm->weight)
        x = nn_norm(norm, x);
    return a->rotary ? ag_rotary(x, a->rotary->table, positions) : x;
}

/* The op has neither a bias nor a scale of one's own; with one of them, op by op. */
static Tensor *attended(const PretrainedAttention *a, Tensor *q, Tensor *k, Tensor *v, Tensor *bias,
                        Mask mask)
{
    if (tensor_is_poison(q) || tensor_is_poison(k) || tensor_is_poison(v))
        return tensor_poison();
    if (!bias && !(a->scale > 0))
        return ag_attention(q, k, v, mask, a->dropout);
    const double scale = a->scale > 0 ? (double)a->scale : 1 / sqrt((double)a->head_size);
    const bool shown = q->tape->keep_maps || tape_names_all(q->tape);
    return tape_attention(q, k, v, bias, scale, mask, a->dropout, shown ? a->path : NULL);
}

static Tensor *output(const PretrainedAttention *a, Tensor *q, Tensor *k, Tensor *v, Tensor *bias,
                      Mask mask)
{
    q = shown_name(q, a->path, "q");
    k = shown_name(k, a->path, "k");
    v = given_name(v, a->path, "v");
    Tensor *y = given_name(attended(a, q, k, v, bias, mask), a->path, "heads");
    Shape joined = shape3(q->shape.dim[0], q->shape.dim[2], row_of(a, 1));
    return nn_linear(&a->out_proj, ag_reshape(ag_transpose(y, 1, 2), joined));
}

/* cache_mask in the window: no key that is more than `window` before its query. */
static Mask mask_of(const PretrainedAttention *a, const KVCache *c, Tape *tape, int64_t T)
{
    Mask mask = cache_mask(c, tape, T);
    if (!mask.keep)
        mask.window = a->window;
    else if (a->window > 0 && !tensor_is_poison(mask.keep))
        for (int64_t row = 0, S = shape_last(mask.keep->shape); row < c->batch * T; row++)
            for (int64_t j = 0; j < c->length[row / T] + row % T - a->window; j++)
                mask.keep->data[row * S + j] = 0;
    return mask;
}

Tensor *pretrained_attention(const PretrainedAttention *a, Tensor *x, const PretrainedContext *c,
                             int layer)
{
    const char *who = "nn_pretrained_logits_cached";
    KVCache *cache = c->cache;
    Mask mask = c->mask;
    if (tensor_is_poison(x))
        return tensor_poison();
    int64_t T = x->shape.dim[1];
    if (cache && !cache_takes(cache, layer, x, T, a->kv_heads, a->head_size, who, a->path, "x"))
        return tape_fail(x->tape);
    Tensor *positions = cache && a->rotary ? nn_cache_positions(cache, x->tape, T) : NULL;
    Tensor *qkv = project(a, x, 0, 3);
    Tensor *q = rotated(a, &a->q_norm, heads(a, qkv, 0, 0), positions);
    Tensor *k = rotated(a, &a->k_norm, heads(a, qkv, 1, 0), positions), *v = heads(a, qkv, 2, 0);
    if (cache) {
        if (!cache_extend(cache, layer, &k, &v))
            return tensor_poison();
        mask = mask_of(a, cache, x->tape, T);
    } else if (a->window > 0) {
        mask.window = a->window;
    }
    Tensor *bias = NULL;
    if (a->distance_bias && !tensor_is_poison(k))
        bias = pretrained_relative(a, x->tape, cache ? cache->length : NULL,
                                   cache ? cache->batch : 1, T, k->shape.dim[2]);
    return output(a, q, k, v, bias, mask);
}

bool pretrained_memory(const PretrainedAttention *a, Tensor *memory, Tensor **k, Tensor **v)
{
    if (tensor_is_poison(memory))
        return false;
    Tensor *kv = project(a, memory, 1, 3);
    *k = heads(a, kv, 1, 1);
    *v = heads(a, kv, 2, 1);
    return !tensor_is_poison(*k) && !tensor_is_poison(*v);
}

Tensor *pretrained_cross(const PretrainedAttention *a, Tensor *x, const PretrainedContext *c,
                         int layer)
{
    const char *who = "nn_pretrained_logits_cached";
    Tensor *k, *v;
    Mask mask = c->memory_mask;
    if (tensor_is_poison(x))
        return x;
    if (c->source &&
        !cache_takes(c->source, layer, x, 0, a->kv_heads, a->head_size, who, a->path, "x"))
        return tape_fail(x->tape);
    Tensor *q = heads(a, project(a, x, 0, 1), 0, 0);
    if (c->source)
        mask = cache_all(c->source, layer, x->tape, &k, &v);
    else if (!pretrained_memory(a, c->memory, &k, &v))
        return tensor_poison();
    return output(a, q, k, v, NULL, mask);
}
