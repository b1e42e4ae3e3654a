/* attention.c: multi-head attention.
 *                   "Attention is all you need" (2017), section 3.2.2; V "Multi-Head Self-Attention (MSA)",
 *                   J "Finish Multi-head Attention without For Loops", H "Multi-Head Self-Attention",
 *                   Z "Multi-Head Attention" (lectures/README.md)
 *   Q = X W_q^T + b_q, and K and V likewise;  head_h = attention(Q_h, K_h, V_h);
 *   y = [head_1, ..., head_H] W_o^T + b_o
 * Q_h is channels h C/H to (h+1) C/H - 1 of Q. Two views turn the heads into a batch axis; nothing is copied, and
 * there is no loop over heads. */
#include "nn/internal.h"

bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *name, int64_t channels,
                       int heads, double dropout)
{
    if (!check_init(a, sizeof *a, p, name, "nn_attention_init") ||
        !check_dropout(dropout, "nn_attention_init"))
        return false;
    if (heads < 1 || channels < 1 || channels > INT32_MAX || channels % heads != 0)
        return tensor_fail("nn_attention_init: %d heads for %lld channels; expected a number of "
                           "heads that divides the channels",
                           heads, (long long)channels);
    params_enter(p, name);
    a->heads = heads;
    a->dropout = (real)dropout;
    a->path = params_scope(p);
    a->in_proj_weight = params_add(p, "in_proj_weight", shape2(3 * channels, channels),
                                   nn_xavier_uniform(channels, 3 * channels));
    a->in_proj_bias = params_add(p, "in_proj_bias", shape1(3 * channels), nn_constant(0));
    bool ok = a->path && a->in_proj_weight && a->in_proj_bias &&
              nn_linear_init(&a->out_proj, p, "out_proj", channels, channels, true);
    params_leave(p);
    if (ok) /* as PyTorch's MultiheadAttention, whose biases all begin with 0 */
        for (int64_t i = 0; i < channels; i++)
            a->out_proj.bias->data[i] = 0;
    return ok;
}

/* C, the last axis of in_proj_weight (3C, C). */
static int64_t channels_of(const MultiHeadAttention *a)
{
    return a->in_proj_weight->shape.dim[1];
}

Tensor *attention_project(const MultiHeadAttention *a, Tensor *x, int first, int end)
{
    int64_t C = channels_of(a), from = first * C, to = end * C;
    Tensor *W = tape_param(x->tape, a->in_proj_weight), *b = tape_param(x->tape, a->in_proj_bias);
    return ag_linear(x, ag_slice(W, 0, from, to), ag_slice(b, 0, from, to));
}

Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int64_t from)
{
    int64_t C = channels_of(a);
    if (tensor_is_poison(x))
        return x;
    Tensor *part = ag_slice(x, 2, from, from + C);
    part = ag_reshape(part, shape4(x->shape.dim[0], x->shape.dim[1], a->heads, C / a->heads));
    return ag_transpose(part, 1, 2);
}

Tensor *attention_output(const MultiHeadAttention *a, Tensor *q, Tensor *k, Tensor *v, Mask mask)
{
    /* The fused op does not materialise scores and A; the composed one leaves both on the tape by name. */
    Tensor *y = !tensor_is_poison(q) && q->tape->keep_maps
                    ? ag_attention_composed(q, k, v, mask, a->dropout, a->path)
                    : ag_attention(q, k, v, mask, a->dropout);
    if (tensor_is_poison(y))
        return y;
    Shape joined = shape3(q->shape.dim[0], q->shape.dim[2], channels_of(a));
    return nn_linear(&a->out_proj, ag_reshape(ag_transpose(y, 1, 2), joined));
}

bool attention_check(const MultiHeadAttention *a, Tensor *x, const char *who, const char *what)
{
    return check_module(a && a->in_proj_bias && a->path ? a->in_proj_weight : NULL, x, who) &&
           check_operand(x, 3, channels_of(a), who, a->path, what, "(B, T, C)");
}

/* One product computes queries, keys and values, (B, T, 3C); the heads are views of its three parts. */
Tensor *nn_attention(const MultiHeadAttention *a, Tensor *x, Mask mask)
{
    if (!tensor_is_poison(x) && x->tape && x->shape.rank == 2) { /* (T, C): a batch of one */
        Shape s = x->shape;
        Tensor *y = nn_attention(a, ag_reshape(x, shape3(1, s.dim[0], s.dim[1])), mask);
        return tensor_is_poison(y) ? y : ag_reshape(y, s);
    }
    if (!attention_check(a, x, "nn_attention", "x"))
        return tensor_poison();
    int64_t C = channels_of(a);
    Tensor *qkv = ag_linear(x, a->in_proj_weight, a->in_proj_bias); /* (B, T, 3C) */
    return attention_output(a, attention_heads(a, qkv, 0), attention_heads(a, qkv, C),
                            attention_heads(a, qkv, 2 * C), mask);
}

/* Queries come from another tensor than keys and values, so the packed weight is used in two parts. */
Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory, Mask mask)
{
    if (!attention_check(a, x, "nn_cross_attention", "x") ||
        !attention_check(a, memory, "nn_cross_attention", "memory"))
        return tensor_poison();
    int64_t C = channels_of(a);
    Tensor *q = attention_project(a, x, 0, 1), *kv = attention_project(a, memory, 1, 3);
    return attention_output(a, attention_heads(a, q, 0), attention_heads(a, kv, 0),
                            attention_heads(a, kv, C), mask);
}
