/* attention_composed.c: attention composed of single ops, so that its scores and weights can be
 * read.
 *
 *   scores = q k^T / sqrt(d),  A = softmax over kept keys of the scores,  y = dropout(A) v
 *
 * The same result as ag_attention to rounding, dropout included: both drop weight (b, h, i, j) by
 * the same random number. Here the scores and A stay on the tape, by name and with their
 * gradients. */
#include "autograd/tape.h"

#include <math.h>

/* A view with a repeated axis, (B, G, H / G, S, d), whose copy joins the axes: head h of the
 * result is head h G / H of k. Gradients of the copies add up in ag_expand's backward. */
Tensor *tape_repeat_heads(Tape *tape, Tensor *k, int64_t heads)
{
    if (tensor_is_poison(k) || k->ids || k->shape.rank != 4 || k->shape.dim[1] == heads ||
        k->shape.dim[1] < 1 || heads % k->shape.dim[1] != 0)
        return k;
    Shape s = k->shape;
    int64_t G = s.dim[1], times = heads / G;
    k = ag_reshape(k->tape ? k : tape_param(tape, k), shape5(s.dim[0], G, 1, s.dim[2], s.dim[3]));
    if (!tensor_is_poison(k))
        k = ag_expand(k, shape5(s.dim[0], G, times, s.dim[2], s.dim[3]));
    return tensor_is_poison(k) ? k : ag_reshape(k, shape4(s.dim[0], heads, s.dim[2], s.dim[3]));
}

static Tensor *named(Tensor *t, const char *name, const char *part)
{
    return name ? ag_name(t, "%s.%s", name, part) : t;
}

/* Each line is one step of the equation above. */
Tensor *tape_attention(Tensor *q, Tensor *k, Tensor *v, Tensor *bias, double scale, Mask mask,
                       double dropout, const char *name)
{
    if (q->shape.rank == 4) {
        k = tape_repeat_heads(q->tape, k, q->shape.dim[1]);
        v = tape_repeat_heads(q->tape, v, q->shape.dim[1]);
    }
    Tensor *products = ag_matmul(q, ag_transpose(k, -1, -2));
    if (!tensor_is_poison(products) && tape_names_all(products->tape))
        products = named(products, name, "products");
    Tensor *scores = ag_scale(products, scale);
    scores = named(bias ? ag_add(scores, bias) : scores, name, "scores");
    Tensor *a = named(ag_masked_softmax(scores, mask), name, "A");
    return ag_matmul(ag_dropout(a, dropout), v);
}

/* A poison operand goes to ag_attention, which reports what is wrong under the name of
 * attention. */
Tensor *ag_attention_composed(Tensor *q, Tensor *k, Tensor *v, Mask mask, double dropout,
                              const char *name)
{
    if (tensor_is_poison(q) || tensor_is_poison(k) || tensor_is_poison(v))
        return ag_attention(q, k, v, mask, dropout);
    return tape_attention(q, k, v, NULL, 1 / sqrt((double)shape_last(q->shape)), mask, dropout,
                          name);
}
