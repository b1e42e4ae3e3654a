/* attention.c: multi-head attention.
 *                   "Attention is all you need" (2017), section 3.2.2; V "Multi-Head Self-Attention (MSA)",
 *                   J "Finish Multi-head Attention without For Loops", H "Multi-Head Self-Attention",
 *                   Z "Multi-Head Attention"
 *   Q = X W_q^T + b_q, and K and V alike;  head_h = attention(Q_h, K_h, V_h);
 *   y = [head_1, ..., head_H] W_o^T + b_o
 * Q_h is channels h C/H to (h+1) C/H - 1 of Q. The heads become a batch axis by two views; nothing is
 * copied, and there is no loop over heads. */
#include "nn/internal.h"

bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *name, int64_t channels,
                       int heads, double dropout)
{
    *a = (MultiHeadAttention){0};
    if (heads < 1 || channels < 1 || channels > INT32_MAX || channels % heads != 0)
        return tensor_fail("attention: %d heads for %lld channels; the channels must divide evenly",
                           heads, (long long)channels);
    if (!(dropout >= 0 && dropout < 1))
        return tensor_fail("attention: dropout probability is %g; need 0 <= p < 1", dropout);
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
    if (ok) /* PyTorch's MultiheadAttention begins with all biases 0 */
        for (int64_t i = 0; i < channels; i++)
            a->out_proj.bias->data[i] = 0;
    return ok;
}

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
    Tensor *y = !tensor_is_poison(q) && q->tape->keep_maps
                    ? ag_attention_composed(q, k, v, mask, a->dropout, a->path)
                    : ag_attention(q, k, v, mask, a->dropout);
    if (tensor_is_poison(y))
        return y;
    Shape joined = shape3(q->shape.dim[0], q->shape.dim[2], channels_of(a));
    return nn_linear(&a->out_proj, ag_reshape(ag_transpose(y, 1, 2), joined));
}

bool attention_fits(const MultiHeadAttention *a, Tensor *x, const char *what)
{
    if (a->in_proj_weight && a->in_proj_bias && a->path)
        return check_operand(x, 3, channels_of(a), a->path, what, "(B, T, C)");
    tape_error(x ? x->tape : NULL, "attention: the module has no weights; its init failed");
    return false;
}

Tensor *nn_attention(const MultiHeadAttention *a, Tensor *x, Mask mask)
{
    if (!tensor_is_poison(x) && x->tape && x->shape.rank == 2) {
        Shape s = x->shape;
        Tensor *y = nn_attention(a, ag_reshape(x, shape3(1, s.dim[0], s.dim[1])), mask);
        return tensor_is_poison(y) ? y : ag_reshape(y, s);
    }
    if (!attention_fits(a, x, "x"))
        return tensor_poison();
    int64_t C = channels_of(a);
    Tensor *qkv = ag_linear(x, a->in_proj_weight, a->in_proj_bias); /* (B, T, 3C) */
    return attention_output(a, attention_heads(a, qkv, 0), attention_heads(a, qkv, C),
                            attention_heads(a, qkv, 2 * C), mask);
}

Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory, Mask mask)
{
    if (!attention_fits(a, x, "x") || !attention_fits(a, memory, "memory"))
        return tensor_poison();
    int64_t C = channels_of(a);
    Tensor *q = attention_project(a, x, 0, 1), *kv = attention_project(a, memory, 1, 3);
    return attention_output(a, attention_heads(a, q, 0), attention_heads(a, kv, 0),
                            attention_heads(a, kv, C), mask);
}
