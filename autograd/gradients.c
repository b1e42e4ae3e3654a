/* gradients.c: the memory of gradients in backward, and which gradients share memory.
 *
 * An activation's gradient exists from its first use in backward until its own node is done; then its memory goes
 * to a list (release.c), from which the next ones are taken. So backward needs, beside the activations,
 * memory for a few gradients at a time, whatever the depth.
 *
 * An op adds to gradients that begin as zeros. Where its Op.gradient says more about its mathematics, memory is
 * saved, and writing zeros in order to add to them:
 *
 *   in place      dL/dx is computed in the memory of dL/dy, which nothing needs afterwards
 *                 (GRADIENT_ELEMENTWISE, _DIAGONAL, _SUM)
 *   copied        dL/dx begins as a copy of dL/dy (_SUM, the second operand)
 *   unwritten     dL/dx begins as uninitialised memory, which the matrix product writes (_PRODUCT)
 *
 * None of this happens while a watcher looks: it is to see zeros before a node and the sum after it. */
#include "autograd/tape.h"

#include "tensor/threads/parallel.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------- */

/* Puts the memory of t's gradient into the list, unless the program keeps the gradient. A view has
 * no memory of its own. */
static void release(Tape *tape, Tensor *t)
{
    if (!t->grad || t->keep_grad)
        return;
    GRADUS_INVARIANT(t->tape == tape && !t->base);
    tape_release_numbers(tape, t->grad, tensor_size(t));
    t->grad = NULL;
}

/* Gives t a gradient, unless it has one. *created: it is new, and uninitialised. */
static bool provide(Tape *tape, Tensor *t, bool *created)
{
    *created = false;
    /* A weight has its own; one that was frozen after it was used has none. */
    if (t->grad || t->tape != tape)
        return true;
    t->grad = tape_numbers(tape, tensor_size(t));
    *created = t->grad != NULL;
    return *created;
}

/* An uninitialised gradient becomes zeros, because ops add to it; one that exists keeps its sum. */
bool gradient_begin(Tape *tape, Tensor *t)
{
    Tensor *owner = t->base ? t->base : t;
    bool created;
    if (!provide(tape, owner, &created))
        return false;
    if (created)
        parallel_zero(owner->grad, tensor_size(owner));
    if (t->base)
        t->grad = owner->grad ? owner->grad + t->offset : NULL;
    return true;
}

/* A view that no node wrote to still shows the gradient that reached its base; one whose base has
 * lost its gradient shows none. */
void gradients_settle_views(Tape *tape)
{
    for (int i = 0; i < pool_used(tape); i++) {
        Tensor *t = pool_header(tape, i);
        if (t->base)
            t->grad = t->needs_grad && t->base->grad ? t->base->grad + t->offset : NULL;
    }
}

/* ---- which gradients share memory --------------------------------------------------------------- */

static bool has_gradient(const Node *n)
{
    return tensor_size(n->out) > 0; /* ag_apply computed nothing otherwise */
}

/* May operand i's gradient be computed in the memory of the result's? Not if the gradient has begun elsewhere; nor if
 * another operand is the same tensor or a view of it, whose gradient would then be added to memory that is still to
 * be read. */
static bool can_be_in_place(const Tape *tape, const Node *n, int i)
{
    const Tensor *x = n->in[i], *y = n->out;
    GradientForm form = n->op->gradient;
    if (form == GRADIENT_GENERAL || form == GRADIENT_PRODUCT || (form != GRADIENT_SUM && i > 0))
        return false;
    if (!x || !x->needs_grad || x->tape != tape || x->base || x->grad || y->keep_grad ||
        !shape_equal(x->shape, y->shape) || tape_is_watched())
        return false;
    for (int k = 0; k < n->inputs; k++)
        if (k != i && n->in[k] && (n->in[k] == x || n->in[k]->base == x))
            return false;
    return true;
}

/* May operand i's gradient begin as uninitialised memory, which gradients_compute or the op writes? */
static bool can_be_unwritten(const Node *n, int i)
{
    const Tensor *x = n->in[i];
    if (tape_is_watched() || x->base)
        return false;
    return (n->op->gradient == GRADIENT_PRODUCT && i == 0) ||
           (n->op->gradient == GRADIENT_SUM && i < 32 && shape_equal(x->shape, n->out->shape));
}

/* For each operand that needs a gradient one of three: the memory of the result's gradient (one
 * operand at most), uninitialised memory with its bit in tape->unwritten, or a gradient of zeros
 * or of what other nodes added so far. */
bool gradients_prepare(Tape *tape, Node *n)
{
    bool any = has_gradient(n), in_place = false;
    tape->unwritten = 0;
    for (int i = 0; i < n->inputs; i++) {
        Tensor *x = n->in[i];
        bool created = false;
        if (!x || !x->needs_grad)
            continue;
        if (any && !in_place && can_be_in_place(tape, n, i)) {
            x->grad = n->out->grad;
            in_place = true;
        } else if (any && can_be_unwritten(n, i)) {
            if (!provide(tape, x, &created))
                return false;
            tape->unwritten |= created ? 1U << i : 0;
        } else if (!gradient_begin(tape, x)) {
            return false;
        }
    }
    return true;
}

/* After the node is done. Where an operand took over the memory, the result has no gradient any
 * more; else the memory becomes free. */
void gradients_release(Tape *tape, Node *n)
{
    for (int i = 0; i < n->inputs; i++)
        if (n->in[i] && n->in[i] != n->out && !n->in[i]->base && n->in[i]->grad == n->out->grad)
            n->out->grad = NULL; /* an operand has its memory now */
    release(tape, n->out);
}

/* ---- computing them ----------------------------------------------------------------------------- */

/* An op adds: dx += f(dy). Where dx has the memory of dy, a block of dy at a time is copied away:
 *
 *      dy |  block 0  |  block 1  | ..          copy = block; block = 0; block += f(copy)
 *               |  ^
 *               v  |                            both stay in the nearest cache, so that memory is read and
 *              copy                             written once, and dx needs no memory of its own */
enum { BLOCK = 1024, COST = 3 }; /* numbers; the work for one, as parallel_grain counts it */

/* The body of parallel_for: the blocks begin to end - 1. x and y are copies of the headers that
 * describe one block; the op's backward sees them as whole tensors, which an elementwise op cannot
 * tell apart from the real ones. */
static void block_body(int64_t begin, int64_t end, void *context)
{
    const Node *n = context;
    _Alignas(64) real copy[BLOCK];
    Tensor x = *n->in[0], y = *n->out, *in[] = {&x};
    Node block = *n;
    block.in = in;
    block.out = &y;
    y.grad = copy;
    for (int64_t b = begin; b < end; b++) {
        int64_t from = b * BLOCK, left = tensor_size(n->out) - from;
        int64_t length = left < BLOCK ? left : BLOCK;
        tensor_set_contiguous(&x, shape1(length));
        tensor_set_contiguous(&y, shape1(length));
        x.data = n->in[0]->data + from;
        y.data = n->out->data + from;
        x.grad = n->in[0]->grad + from;
        memcpy(copy, x.grad, (size_t)length * sizeof *copy);
        memset(x.grad, 0, (size_t)length * sizeof *copy);
        n->op->backward(&block);
    }
}

/* GRADIENT_DIAGONAL: the same numbers that multiplied x multiply dL/dy. */
static void forward_of_gradient(const Node *n)
{
    Tensor y = *n->out, *in[] = {&y};
    y.data = n->out->grad;
    Node gradient = *n;
    gradient.in = in;
    gradient.out = &y;
    n->op->forward(&gradient);
}

/* GRADIENT_SUM: an operand whose gradient is in place is done, and an unwritten one gets a copy. The op's backward
 * adds to the others; from the operands that are done it is hidden. */
static void compute_sum(Tape *tape, Node *n)
{
    Tensor *in[32];
    int inputs = n->inputs < 32 ? n->inputs : 32;
    Tensor none = {0};
    bool rest = n->inputs > inputs;
    memcpy(in, n->in, (size_t)inputs * sizeof *in);
    for (int i = 0; i < inputs; i++) {
        Tensor *x = in[i];
        bool in_place = x && x->grad && x->grad == n->out->grad && !x->base;
        if (x && tape->unwritten >> i & 1)
            kernels->copy(x->grad, n->out->grad, 1, tensor_size(x));
        if (in_place || tape->unwritten >> i & 1)
            n->in[i] = &none;
        else
            rest |= x && x->grad;
    }
    if (rest)
        n->op->backward(n);
    memcpy(n->in, in, (size_t)inputs * sizeof *in);
}

/* Computes the operands' gradients by the form that gradients_prepare arranged. An empty result
 * has no gradient to pass on. */
void gradients_compute(Tape *tape, Node *n)
{
    if (!has_gradient(n))
        return;
    GradientForm form = n->op->gradient;
    bool in_place = n->in[0] && n->in[0]->grad && n->in[0]->grad == n->out->grad;
    if (form == GRADIENT_SUM)
        compute_sum(tape, n);
    else if (form == GRADIENT_ELEMENTWISE && in_place)
        parallel_for((tensor_size(n->out) + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * COST),
                     block_body, n);
    else if (form == GRADIENT_DIAGONAL && in_place)
        forward_of_gradient(n);
    else
        n->op->backward(n);
}
