/* attention.c: multi-head attention.
 *                   "Attention is all you need" (2017), section 3.2.2; V "Multi-Head Self-Attention (MSA)",
 *                   J "Finish Multi-head Attention without For Loops", H "Multi-Head Self-Attention",
 *                   Z "Multi-Head Attention" (lectures/README.md)
 *   Q = X W_q^T + b_q, and K and V likewise;  head_h = attention(Q_h, K_h, V_h);
 *   y = [head_1, ..., head_H] W_o^T + b_o
 * Q_h is channels h d to (h+1) d - 1 of Q, with d = C/H. The heads become a batch axis by two
 * views; nothing is copied, and there is no loop over heads. */
#include "nn/internal.h"

bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *path, int64_t C, int heads,
                       double dropout)
{
    const char *who = "nn_attention_init";
    if (!(path = init_path(a, sizeof *a, p, path, who)) || !check_dropout(dropout, who))
        return false;
    if (heads < 1 || C < 1 || C > INT32_MAX || C % heads != 0)
        return tensor_fail("%s: %d heads for %lld channels; expected a number of heads that "
                           "divides the channels",
                           who, heads, (long long)C);
    const int first = p->count;
    a->heads = heads;
    a->dropout = (real)dropout;
    a->path = path;
    Tensor *W = params_add(p, params_path(p, "%s.in_proj_weight", path), shape2(3 * C, C),
                           nn_xavier_uniform(C, 3 * C));
    a->in_proj_bias =
        params_add(p, params_path(p, "%s.in_proj_bias", path), shape1(3 * C), nn_constant(0));
    bool ok = W && a->in_proj_bias &&
              nn_linear_init(&a->out_proj, p, params_path(p, "%s.out_proj", path), C, C, true);
    for (int64_t i = 0; ok && !p->only_run && i < C; i++)
        a->out_proj.bias->data[i] = 0; /* PyTorch's MultiheadAttention begins with all biases 0 */
    a->in_proj_weight = ok ? W : NULL; /* what check_module looks at */
    return init_done(p, first, ok);
}

/* The rows of the packed weight that belong to the parts are a view, so that no weight is copied;
 * their gradient is part of the weight's. */
Tensor *attention_project(const MultiHeadAttention *a, Tensor *x, int first, int end)
{
    static const char *const names[] = {"q_proj", "kv"};
    int64_t C = a->in_proj_weight->shape.dim[1];
    Tensor *W = ag_slice(tape_param(x->tape, a->in_proj_weight), 0, first * C, end * C);
    Tensor *b = ag_slice(tape_param(x->tape, a->in_proj_bias), 0, first * C, end * C);
    return given_name(ag_linear(x, W, b), a->path, names[end - first - 1]);
}

/* (B, T, C) is read as (B, T, H, d), then the axes T and H are exchanged: two views. */
Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int part)
{
    int64_t C = a->in_proj_weight->shape.dim[1];
    Shape s = shape4(x->shape.dim[0], x->shape.dim[1], a->heads, C / a->heads);
    return ag_transpose(ag_reshape(ag_slice(x, 2, part * C, (part + 1) * C), s), 1, 2);
}

Tensor *attention_join(const MultiHeadAttention *a, Tensor *y)
{
    y = given_name(y, a->path, "heads");
    Shape joined = shape3(y->shape.dim[0], y->shape.dim[2], a->in_proj_weight->shape.dim[1]);
    return nn_linear(&a->out_proj, ag_reshape(ag_transpose(y, 1, 2), joined));
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
    Tensor *qkv = given_name(ag_linear(x, a->in_proj_weight, a->in_proj_bias), a->path, "qkv");
    Tensor *q = attention_heads(a, qkv, 0), *k = attention_heads(a, qkv, 1);
    q = shown_name(rotary_turn(a->rotary, q, NULL), a->path, "q");
    k = shown_name(rotary_turn(a->rotary, k, NULL), a->path, "k");
    Tensor *v = given_name(attention_heads(a, qkv, 2), a->path, "v");
    return attention_join(a, ag_attention(q, k, v, mask, a->dropout));
}

/* Queries come from another tensor than keys and values, so the packed weight is used in two
 * parts. */
Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory, Mask mask)
{
    if (!attention_check(a, x, "nn_cross_attention", "x") ||
        !attention_check(a, memory, "nn_cross_attention", "memory"))
        return tensor_poison();
    Tensor *q = attention_project(a, x, 0, 1), *kv = attention_project(a, memory, 1, 3);
    q = shown_name(attention_heads(a, q, 0), a->path, "q");
    Tensor *k = shown_name(attention_heads(a, kv, 0), a->path, "k");
    Tensor *v = given_name(attention_heads(a, kv, 1), a->path, "v");
    return attention_join(a, ag_attention(q, k, v, mask, a->dropout));
}
