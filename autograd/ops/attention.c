/* Scaled dot-product attention under a mask, in one op.
 *   A = softmax over the kept keys of q k^T / sqrt(d),  y = dropout(A) v
 *   gradients: tensor/kernels/ref/attention.c; A is computed again in backward, not stored
 * q: (B, H, T, d), k: (B, G, S, d), v: (B, G, S, e) -> y: (B, H, T, e); H, or B and H, may be left
 * out. H is a multiple of G: each head of keys and values serves H / G heads of queries
 * (grouped-query attention, Ainslie et al. 2023). Source: "Attention is all you need" (2017),
 * equation 1. Lectures (letters: lectures/README.md): V "Self-Attention", H "Scaled Dot-Product
 * Attention", J "Self-attention layer".
 *
 * The kernel writes y as (B, T, H, e), so that joining the heads, which comes next, copies nothing.
 * The four passes: tensor/kernels/ref/attention.c; with vectors, tile by tile:
 * kernels/simd/attention. */
#include "autograd/ops/shared/op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The settings. The mask's two tensors are operands, checked like all others. */
typedef struct {
    Mask mask;
    DropoutAttrs dropout;
} AttentionAttrs;

enum { Q, K, V, LENGTHS, KEEP, OPERANDS };

/* Checks batch, heads, depth and lengths; y is as the kernel stores it: (B, T, H, e). */
static bool attention_shape(const Node *n, Shape *y)
{
    const AttentionAttrs *attrs = n->attrs;
    Shape q = n->in[Q]->shape, k = n->in[K]->shape, v = n->in[V]->shape;
    bool fits =
        q.rank == 4 && k.rank == 4 && v.rank == 4 && q.dim[3] == k.dim[3] && k.dim[2] == v.dim[2];
    for (int i = 0; fits && i < 2; i++)
        fits = k.dim[i] == v.dim[i];
    fits = fits && q.dim[0] == k.dim[0] &&
           (q.dim[1] == k.dim[1] || (k.dim[1] > 0 && q.dim[1] % k.dim[1] == 0));
    if (!fits)
        return op_fail(n,
                       "q is %s, k is %s, v is %s; expected (B, H, T, d), (B, G, S, d) and "
                       "(B, G, S, e), G a divisor of H",
                       tensor_describe(n->in[Q]), tensor_describe(n->in[K]),
                       tensor_describe(n->in[V]));
    *y = shape4(q.dim[0], q.dim[2], q.dim[1], v.dim[3]);
    return dropout_check(n, (real)attrs->dropout.p) &&
           mask_check(n, mask_at(n, attrs->mask, LENGTHS),
                      (Scores){q.dim[0], q.dim[1], q.dim[2], k.dim[2]});
}

/* The workspace of the reference kernels, in numbers of type real. */
static int64_t workspace_size(const Node *n)
{
    Shape q = n->in[Q]->shape, v = n->in[V]->shape;
    int64_t doubles = attention_workspace(q.dim[2], v.dim[2], q.dim[3], v.dim[3]);
    return doubles * (int64_t)(sizeof(double) / sizeof(real));
}

/* Forward keeps the workspace, and the log-sum-exp of each query's scores.
 * The fast kernels use the second part alone. */
static int64_t attention_saved(const Node *n)
{
    Shape q = n->in[Q]->shape;
    return workspace_size(n) + q.dim[0] * q.dim[1] * q.dim[2];
}

/* The call as kernels take it, in both passes; lse exists only where a backward may follow. */
static Attention attention_of(const Node *n)
{
    const AttentionAttrs *attrs = n->attrs;
    const Tensor *q = n->in[Q], *k = n->in[K], *v = n->in[V];
    Attention a = {
        .batch = q->shape.dim[0],
        .heads = q->shape.dim[1],
        .queries = q->shape.dim[2],
        .keys = k->shape.dim[2],
        .d = q->shape.dim[3],
        .dv = v->shape.dim[3],
        .group = k->shape.dim[1] > 0 ? q->shape.dim[1] / k->shape.dim[1] : 1,
        .q = q->data,
        .k = k->data,
        .v = v->data,
        .out = n->out->data,
        .workspace = (double *)n->saved,
        .lse = n->out->needs_grad ? n->saved + workspace_size(n) : NULL,
        .scale = (real)(1 / sqrt((double)q->shape.dim[3])),
        .mask = mask_resolve(mask_at(n, attrs->mask, LENGTHS), q->shape.dim[1]),
        .dropout = attrs->dropout.stream ? (real)attrs->dropout.p : 0,
        .seed = n->out->tape->seed,
        .stream = attrs->dropout.stream,
        .scratch = tape_scratch(n->out->tape),
    };
    memcpy(a.q_stride, q->stride, sizeof a.q_stride);
    memcpy(a.k_stride, k->stride, sizeof a.k_stride);
    memcpy(a.v_stride, v->stride, sizeof a.v_stride);
    return a;
}

static void attention_forward(Node *n)
{
    Attention a = attention_of(n);
    kernels->attention(&a);
}

static void attention_backward(Node *n)
{
    Attention a = attention_of(n);
    AttentionGrad g = {n->out->grad, n->in[Q]->grad, n->in[K]->grad, n->in[V]->grad};
    kernels->attention_backward(&a, &g);
}

const Op op_attention = {.name = "attention",
                         .optional = 1 << LENGTHS | 1 << KEEP,
                         .ids = 1 << LENGTHS,
                         .strided = true,
                         .shape = attention_shape,
                         .saved = attention_saved,
                         .forward = attention_forward,
                         .backward = attention_backward,
                         .inside = &(const struct OpInside){.scratch = true}};

/* x as (B, H, T, d) with unit stride along d, as the kernel reads it. */
static Tensor *with_heads(Tensor *x)
{
    if (tensor_is_poison(x) || x->ids || x->shape.rank < 2)
        return x;
    Shape s = x->shape;
    if (x->stride[s.rank - 1] != 1 && shape_last(s) != 1)
        x = ag_copy(x);
    if (s.rank == 2)
        return ag_reshape(x, shape4(1, 1, s.dim[0], s.dim[1]));
    if (s.rank == 3)
        return ag_reshape(x, shape4(s.dim[0], 1, s.dim[1], s.dim[2]));
    return x;
}

/* Is the attention of queries named "PATH.q" to be seen: does their tape keep maps, or have edits,
 * which may change them? Then writes PATH. */
static bool shown(const Tensor *q, char path[TENSOR_NAME_MAX])
{
    if (tensor_is_poison(q) || !q->tape || !(q->tape->keep_maps || q->tape->inside->edits))
        return false;
    const char *end = strrchr(q->name, '.');
    if (!end || end[1] != 'q' || (end[2] && end[2] != '#')) /* a second module's: "PATH.q#2" */
        return false;
    snprintf(path, TENSOR_NAME_MAX, "%.*s", (int)(end - q->name), q->name);
    return true;
}

/* x, or a copy with a gradient of its own. Each thread adds to the gradients of some heads, so that
 * a number of x must be in the same head of `other`, or not in it. That holds for two tensors, for
 * one, and for parts of one projection, which lie side by side in each row. */
static Tensor *apart(Tensor *x, const Tensor *other)
{
    if (tensor_is_poison(x) || tensor_is_poison(other) || x->shape.rank != 4 || !x->needs_grad ||
        (x->base ? x->base : x) != (other->base ? other->base : other))
        return x;
    const Shape s = x->shape;
    const int64_t width = (s.dim[1] - 1) * x->stride[1] + s.dim[3]; /* of all heads, in a row */
    const int64_t row = s.dim[2] > 1 ? x->stride[2] : s.dim[0] > 1 ? x->stride[0] : INT64_MAX;
    const int64_t gap = llabs((long long)(x->offset - other->offset));
    const bool same = shape_equal(s, other->shape) &&
                      memcmp(x->stride, other->stride, 4 * sizeof *x->stride) == 0;
    return same && (gap == 0 || (gap >= width && gap + width <= row)) ? x : ag_copy(x);
}

/* Brings q, k and v to (B, H, T, d), applies the op and restores the axes that the caller left
 * out. With gradients, grouped keys and values are repeated first, because several query heads
 * must not add to one gradient at the same time. */
Tensor *ag_attention(Tensor *q, Tensor *k, Tensor *v, Mask mask, double dropout)
{
    char path[TENSOR_NAME_MAX];
    if (shown(q, path) && !tensor_is_poison(k) && !tensor_is_poison(v))
        return ag_attention_composed(q, k, v, mask, dropout, path);
    AttentionAttrs attrs = {mask, dropout_attrs(q, dropout)};
    Shape wanted = tensor_is_poison(q) ? shape0() : q->shape;
    Tensor *in[OPERANDS] = {with_heads(q), with_heads(k), with_heads(v), mask.lengths,
                            contiguous(mask.keep)};
    if (!tensor_is_poison(in[Q]) && in[Q]->tape && !in[Q]->tape->no_grad &&
        in[Q]->shape.rank == 4) {
        in[K] = tape_repeat_heads(in[Q]->tape, in[K], in[Q]->shape.dim[1]);
        in[V] = tape_repeat_heads(in[Q]->tape, in[V], in[Q]->shape.dim[1]);
    }
    in[K] = apart(in[K], in[Q]);
    in[V] = apart(apart(in[V], in[Q]), in[K]);
    Tensor *y = op_apply(&op_attention, in, OPERANDS, &attrs, sizeof attrs);
    if (tensor_is_poison(y))
        return y;
    y = ag_permute(y, (int[]){0, 2, 1, 3});
    if (wanted.rank == 4 || tensor_is_poison(y))
        return y;
    wanted.dim[wanted.rank - 1] = y->shape.dim[3];
    return ag_reshape(y, wanted);
}
