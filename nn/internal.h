/* internal.h: what modules share: memory beside the weights, checks, steps of attention and of blocks (internal) */
#ifndef GRADUS_NN_CHECK_H
#define GRADUS_NN_CHECK_H

#include "autograd/tape.h"
#include "nn/nn.h"

/* A tensor in p's memory that is no weight: nothing to train, to save or to load; its numbers are not set.
 * NULL, with an error that begins with `who`. */
Tensor *params_constant(Params *p, Shape shape, const char *who);

/* Is x on a tape, of real numbers, of this rank, and `last` long in its last axis? Otherwise false, with an
 * error that begins with `who`, says what x is (`what`), and what it should be (`need`). Poison is no new
 * error. */
static inline bool check_operand(Tensor *x, int rank, int64_t last, const char *who,
                                 const char *what, const char *need)
{
    if (!x)
        return tensor_fail("%s: %s is NULL", who, what);
    if (tensor_is_poison(x))
        return false;
    if (x->tape && x->data && x->shape.rank == rank && shape_last(x->shape) == last)
        return true;
    tape_error(x->tape, "%s: %s is %s%s; need %s with %lld channels%s", who, what,
               tensor_describe(x), x->ids ? " of whole numbers" : "", need, (long long)last,
               x->tape ? "" : ", on a tape");
    return false;
}

/* The residual connection: x, and what a branch made of it. */
static inline Tensor *join(Tensor *x, Tensor *branch, real dropout)
{
    return ag_add(x, ag_dropout(branch, dropout));
}

/* ---- attention.c: the steps of multi-head attention, for those who take them one by one --------------- */

/* Is x (B, T, C) on a tape, and has the module weights? Otherwise false, with an error about `what`. */
bool attention_fits(const MultiHeadAttention *a, Tensor *x, const char *what);
/* x (B, T, C) by parts first to end - 1 of the input projection (0: queries, 1: keys, 2: values), one behind the
 * other. */
Tensor *attention_project(const MultiHeadAttention *a, Tensor *x, int first, int end);
/* Channels from..from+C-1 of x (B, T, any) as heads: a view (B, H, T, C/H). */
Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int64_t from);
/* q, k, v (B, H, T or S, C/H) -> (B, T, C), the output's projection included. */
Tensor *attention_output(const MultiHeadAttention *a, Tensor *q, Tensor *k, Tensor *v, Mask mask);

#endif
