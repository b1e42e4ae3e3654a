/* gradients.c: the memory of gradients in backward, and which gradients share memory.
 *
 * An activation's gradient exists from its first use in backward until its own node is done; then
 * its memory goes to a list (release.c), from which the next ones are taken. So backward needs,
 * beside the activations, memory for a few gradients at a time, whatever the depth.
 *
 * An op adds to gradients that begin as zeros. Two members of Op state more about its mathematics,
 * by which writing zeros, in order to add to them, is saved:
 *
 *   elementwise     dL/dx is computed in the memory of dL/dy, which nothing needs afterwards
 *   inside->writes  dL/dx begins as uninitialised memory, which the op's backward writes
 *
 * Neither happens while a watcher looks: it is to see zeros before a node and the sum after it. */
#include "autograd/tape.h"

#include "tensor/threads/parallel.h"

#include <string.h>

/* Releases the memory of t's gradient, unless the program keeps it. A view has none of its own. */
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
void gradients_finish(Tape *tape)
{
    for (int i = 0; i < tape->tensors; i++) {
        Tensor *t = pool_header(tape, i);
        if (t->base)
            t->grad = t->needs_grad && t->base->grad ? t->base->grad + t->offset : NULL;
    }
    tape_tell(TAPE_OVER, tape, NULL);
}

/* Can the gradient of n's operand be computed in that of the result? Only if it begins here. */
static bool can_be_in_place(const Tape *tape, const Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    return n->op->elementwise && n->inputs == 1 && x && x->needs_grad && x->tape == tape &&
           !x->base && !x->grad && !y->keep_grad && shape_equal(x->shape, y->shape);
}

static bool is_in_place(const Node *n)
{
    return n->op->elementwise && n->in[0] && n->in[0]->grad == n->out->grad;
}

/* May the gradient of operand i begin as uninitialised memory? */
static bool may_write(const Op *op, int i)
{
    return op->inside && i < 32 && op->inside->writes >> i & 1;
}

/* Each operand that needs a gradient gets one: the memory of the result's gradient; or
 * uninitialised memory, with its bit in tape->inside->unwritten; or else zeros, or what other nodes
 * added so far. */
bool gradients_prepare(Tape *tape, Node *n)
{
    bool shortcuts = tensor_size(n->out) > 0 && !tape_is_watched();
    tape->inside->unwritten = 0;
    if (shortcuts && can_be_in_place(tape, n)) {
        n->in[0]->grad = n->out->grad;
        return true;
    }
    for (int i = 0; i < n->inputs; i++) {
        Tensor *x = n->in[i];
        bool created = false, writes = shortcuts && may_write(n->op, i);
        if (!x || !x->needs_grad)
            continue;
        if (writes && !x->base ? !provide(tape, x, &created) : !gradient_begin(tape, x))
            return false;
        tape->inside->unwritten |= created ? 1U << i : 0;
    }
    tape_tell(TAPE_BACKWARD_BEGINS, tape, n);
    return true;
}

/* The memory of the result's gradient belongs to the operand now, or becomes free. */
void gradients_release(Tape *tape, Node *n)
{
    tape_tell(TAPE_BACKWARD_DONE, tape, n);
    if (is_in_place(n))
        n->out->grad = NULL;
    else
        release(tape, n->out);
}

/* An op adds: dx += f(dy). Where dx has the memory of dy, a block of dy at a time is copied away:
 *
 *      dy |  block 0  |  block 1  | ..   copy = block; block = 0; block += f(copy)
 *               |  ^
 *               v  |                     both stay in the nearest cache, so that memory is read and
 *              copy                      written once, and dx needs no memory of its own */
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

/* Is nothing left to do for the op's backward? An empty result has no gradient to pass on, and a
 * gradient in place is computed here. */
bool gradients_done(Node *n)
{
    if (tensor_size(n->out) == 0)
        return true;
    if (!is_in_place(n))
        return false;
    parallel_for((tensor_size(n->out) + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * COST),
                 block_body, n);
    return true;
}
