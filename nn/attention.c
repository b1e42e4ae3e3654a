/* attention.c: multi-head attention.
 *                   "Attention is all you need" (2017), section 3.2.2; V "Multi-Head Self-Attention (MSA)",
 *                   J "Finish Multi-head Attention without For Loops", H "Multi-Head Self-Attention",
 *                   Z "Multi-Head Attention" (lectures/README.md)
 *   Q = X W_q^T + b_q, and K and V likewise;  head_h = attention(Q_h, K_h, V_h);
 *   y = [head_1, ..., head_H] W_o^T + b_o
 * Q_h is channels h d to (h+1) d - 1 of Q, with d = C/H unless the settings say otherwise. The
 * heads become a batch axis by two views; nothing is copied, and there is no loop over heads.
 * Grouped: K and V have G heads, each for H / G heads of Q. Rotary: Q_h and K_h are rotated by
 * their positions. */
#include "nn/internal.h"

#include <math.h>

/* The channels of the input projection's parts: of queries (0), keys (1), values (2). */
static int64_t part_size(const MultiHeadAttention *a, int part)
{
    return a->head_size * (part == 0 ? a->heads : a->kv_heads);
}

static int64_t parts_size(const MultiHeadAttention *a, int first, int end)
{
    int64_t size = 0;
    for (int part = first; part < end; part++)
        size += part_size(a, part);
    return size;
}

/* C, the last axis of in_proj_weight (3C, C). */
static int64_t channels_of(const MultiHeadAttention *a)
{
    return a->in_proj_weight->shape.dim[1];
}

/* Are the settings those of a module? The limits keep the products of sizes within range. */
static bool config_fits(const AttentionConfig *c, const char *who)
{
    if (c->heads < 1 || c->channels < 1 || c->channels > INT32_MAX ||
        (c->head_size < 1 && c->channels % c->heads != 0))
        return tensor_fail("%s: %d heads for %lld channels; expected a number of "
                           "heads that divides the channels",
                           who, c->heads, (long long)c->channels);
    if (c->no_bias & ~(unsigned)(NO_BIAS_IN | NO_BIAS_OUT))
        return tensor_fail("%s: no_bias is %u; expected NO_BIAS_IN, NO_BIAS_OUT, both or 0", who,
                           c->no_bias);
    if (!(c->scale >= 0) || isinf(c->scale) || c->window < 0 || !(c->qk_epsilon >= 0))
        return tensor_fail("%s: scale %g, window %d, qk_epsilon %g; expected 0 or more of each",
                           who, c->scale, c->window, c->qk_epsilon);
    return (c->kv_heads >= 0 && (c->kv_heads == 0 || c->heads % c->kv_heads == 0) &&
            c->head_size >= 0 && c->head_size <= INT32_MAX / c->heads) ||
           tensor_fail(
               "%s: %d heads on %d heads of keys, of size %lld; expected heads of keys that "
               "divide the heads, and a size of 1 or more",
               who, c->heads, c->kv_heads, (long long)c->head_size);
}

/* All that is registered. Where something is missing, in_proj_weight is NULL: check_module sees
 * it. */
static bool add_weights(MultiHeadAttention *a, Params *p, const AttentionConfig *c)
{
    int64_t C = c->channels, rows = parts_size(a, 0, 3);
    bool in_bias = !(c->no_bias & NO_BIAS_IN), out_bias = !(c->no_bias & NO_BIAS_OUT);
    a->in_proj_weight =
        params_add(p, "in_proj_weight", shape2(rows, C), nn_xavier_uniform(C, rows));
    if (in_bias)
        a->in_proj_bias = params_add(p, "in_proj_bias", shape1(rows), nn_constant(0));
    bool ok = a->path && a->in_proj_weight && (a->in_proj_bias || !in_bias) &&
              nn_linear_init(&a->out_proj, p, "out_proj", part_size(a, 0), C, out_bias);
    if (ok && c->qk_epsilon > 0)
        ok = norm_init(&a->q_norm, p, "q_norm", a->head_size, NORM_RMS, c->qk_epsilon, "nn_norm") &&
             norm_init(&a->k_norm, p, "k_norm", a->head_size, NORM_RMS, c->qk_epsilon, "nn_norm");
    if (!ok)
        a->in_proj_weight = NULL;
    for (int64_t i = 0; ok && out_bias && !p->only_run && i < C; i++)
        a->out_proj.bias->data[i] = 0; /* PyTorch's MultiheadAttention begins with all biases 0 */
    return ok;
}

/* Both public init functions; `who` is the one that was called. Settings of 0 mean the usual case:
 * as many heads of keys as of queries, of size C / H. */
static bool attention_init(MultiHeadAttention *a, Params *p, const char *name, AttentionConfig c,
                           const char *who)
{
    if (!check_init(a, sizeof *a, p, name, who) || !check_dropout(c.dropout, who) ||
        !config_fits(&c, who))
        return false;
    a->heads = c.heads;
    a->kv_heads = c.kv_heads > 0 ? c.kv_heads : c.heads;
    a->head_size = c.head_size > 0 ? c.head_size : c.channels / c.heads;
    a->dropout = (real)c.dropout;
    a->rotary = c.rotary;
    a->bias = c.bias;
    a->scale = (real)c.scale;
    a->window = c.window;
    a->path = params_enter(p, name);
    bool ok = add_weights(a, p, &c);
    params_leave(p);
    return ok;
}

bool nn_attention_init_with(MultiHeadAttention *a, Params *p, const char *name, AttentionConfig c)
{
    return attention_init(a, p, name, c, "nn_attention_init_with");
}

bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *name, int64_t channels,
                       int heads, double dropout)
{
    AttentionConfig c = {.channels = channels, .heads = heads, .dropout = dropout};
    return attention_init(a, p, name, c, "nn_attention_init");
}

/* The rows of the packed weight that belong to the parts are a view, so that no weight is copied;
 * their gradient is part of the weight's. */
Tensor *attention_project(const MultiHeadAttention *a, Tensor *x, int first, int end)
{
    int64_t from = parts_size(a, 0, first), to = parts_size(a, 0, end);
    Tensor *W = ag_slice(tape_param(x->tape, a->in_proj_weight), 0, from, to), *b = NULL;
    if (a->in_proj_bias)
        b = ag_slice(tape_param(x->tape, a->in_proj_bias), 0, from, to);
    static const char *const names[] = {"q_proj", "kv", "qkv"};
    return given_name(ag_linear(x, W, b), a->path, names[end - first - 1]);
}

Tensor *attention_project_all(const MultiHeadAttention *a, Tensor *x)
{
    return given_name(ag_linear(x, a->in_proj_weight, a->in_proj_bias), a->path, "qkv");
}

/* (B, T, size) is read as (B, T, heads, d), then the axes T and heads are exchanged: two views. */
Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int part, int first)
{
    int64_t from = parts_size(a, first, part), size = part_size(a, part);
    if (tensor_is_poison(x))
        return x;
    Shape s = shape4(x->shape.dim[0], x->shape.dim[1], size / a->head_size, a->head_size);
    return ag_transpose(ag_reshape(ag_slice(x, 2, from, from + size), s), 1, 2);
}

Tensor *attention_rotate(const MultiHeadAttention *a, const Norm *norm, Tensor *heads,
                         Tensor *positions)
{
    if (norm->weight)
        heads = nn_norm(norm, heads);
    if (!a->rotary || tensor_is_poison(heads))
        return heads;
    return ag_rotary(heads, a->rotary->table, positions);
}

/* The fused op does not materialise scores and A; the composed one leaves both on the tape by name,
 * as q and k are left here. Keys of a cache are not on the tape. The fused op has neither a bias
 * nor a scale of one's own. */
static Tensor *attention_of_heads(const MultiHeadAttention *a, Tensor *q, Tensor *k, Tensor *v,
                                  Tensor *bias, Mask mask)
{
    bool maps = !tensor_is_poison(q) && (q->tape->keep_maps || q->tape->inside->edits);
    if (tensor_is_poison(q) || (!maps && !bias && !(a->scale > 0)))
        return ag_attention(q, k, v, mask, a->dropout);
    if (maps && !tensor_is_poison(k) && k->tape) {
        q = ag_name(q, "%s.q", a->path);
        k = ag_name(k, "%s.k", a->path);
    }
    return tape_attention(q, k, v, (double)a->scale, bias, mask, a->dropout, maps ? a->path : NULL);
}

Mask attention_window(const MultiHeadAttention *a, Mask mask)
{
    if (mask.window == 0)
        mask.window = a->window;
    return mask;
}

Tensor *attention_output(const MultiHeadAttention *a, Tensor *q, Tensor *k, Tensor *v, Tensor *bias,
                         Mask mask)
{
    q = given_name(q, a->path, "q");
    k = given_name(k, a->path, "k");
    v = given_name(v, a->path, "v");
    Tensor *y = given_name(attention_of_heads(a, q, k, v, bias, mask), a->path, "heads");
    if (tensor_is_poison(y))
        return y;
    Shape joined = shape3(q->shape.dim[0], q->shape.dim[2], part_size(a, 0));
    return nn_linear(&a->out_proj, ag_reshape(ag_transpose(y, 1, 2), joined));
}

bool attention_check(const MultiHeadAttention *a, Tensor *x, const char *who, const char *what)
{
    return check_module(a && a->path ? a->in_proj_weight : NULL, x, who) &&
           check_operand(x, 3, channels_of(a), who, a->path, what, "(B, T, C)");
}

/* One product computes queries, keys and values, (B, T, 3C); the heads are views of its three
 * parts. */
Tensor *nn_attention(const MultiHeadAttention *a, Tensor *x, Mask mask)
{
    if (!tensor_is_poison(x) && x->tape && x->shape.rank == 2) { /* (T, C): a batch of one */
        Shape s = x->shape;
        Tensor *y = nn_attention(a, ag_reshape(x, shape3(1, s.dim[0], s.dim[1])), mask);
        return tensor_is_poison(y) ? y : ag_reshape(y, s);
    }
    if (!attention_check(a, x, "nn_attention", "x"))
        return tensor_poison();
    Tensor *qkv = attention_project_all(a, x);
    Tensor *q = attention_rotate(a, &a->q_norm, attention_heads(a, qkv, 0, 0), NULL);
    Tensor *k = attention_rotate(a, &a->k_norm, attention_heads(a, qkv, 1, 0), NULL);
    int64_t T = x->shape.dim[1];
    Tensor *bias = a->bias ? nn_relative_bias(a->bias, x->tape, NULL, 1, T, T) : NULL;
    return attention_output(a, q, k, attention_heads(a, qkv, 2, 0), bias,
                            attention_window(a, mask));
}

/* Queries come from another tensor than keys and values, so the packed weight is used in two
 * parts. */
Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory, Mask mask)
{
    if (!attention_check(a, x, "nn_cross_attention", "x") ||
        !attention_check(a, memory, "nn_cross_attention", "memory"))
        return tensor_poison();
    Tensor *q = attention_project(a, x, 0, 1), *kv = attention_project(a, memory, 1, 3);
    return attention_output(a, attention_heads(a, q, 0, 0), attention_heads(a, kv, 1, 1),
                            attention_heads(a, kv, 2, 1), NULL, mask);
}
