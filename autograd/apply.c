/* apply.c: computing one op and recording it. Every op passes through here.
 *
 *   check the operands (operands.c) -> make the node -> shape -> memory -> forward -> record
 *
 * Where a step fails, the tape is marked as failed and the result is poison.
 *
 * Invariants: a node is recorded only after its forward succeeded, so that every node on the tape
 * has a result; the operands that it stores are those that forward read, copies of views included;
 * the caller's arrays of operands and attributes are not needed afterwards. */
#include "autograd/tape.h"

#include <string.h>

enum { ALIGNMENT = 16 }; /* of attributes */

/* A node of this tape with its own copy of operands and attributes, in one piece of memory.
 * It lives in the tape's arena until the reset, also where the op fails later. */
static Node *new_node(Tape *tape, const Node *like, size_t attrs_size)
{
    const size_t in_bytes = (size_t)like->inputs * sizeof *like->in;
    const size_t attrs_at = (sizeof *like + in_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Node *n = tape_memory(tape, attrs_at + attrs_size);
    if (!n)
        return NULL;
    *n = *like;
    n->in = memcpy(n + 1, like->in, in_bytes);
    n->attrs = attrs_size ? memcpy((char *)n + attrs_at, like->attrs, attrs_size) : NULL;
    return n;
}

/* A result needs a gradient if any operand does, unless its op has no backward or tape->no_grad is
 * set. */
static bool needs_gradient(const Tape *tape, const Node *n)
{
    bool any = false;
    for (int i = 0; i < n->inputs; i++)
        any |= n->in[i] && n->in[i]->needs_grad;
    return any && n->op->backward && !tape->no_grad;
}

/* Makes the result's header and memory, and the memory of what forward keeps. The shape rule begins
 * with the shape of the first operand; an op without a rule, such as relu, keeps it. */
static bool make_output(Tape *tape, Node *n)
{
    Shape shape = n->in[0] ? n->in[0]->shape : shape0();
    if ((n->op->shape && !n->op->shape(n, &shape)) || !shape_check(shape, n->function))
        return false;
    n->out = tape_tensor(tape, shape);
    if (!n->out)
        return false;
    if (n->op->saved && shape_size(shape) > 0 && !(n->saved = tape_numbers(tape, n->op->saved(n))))
        return false;
    if (n->op->inside && n->op->inside->scratch && !tape_grow_scratch(tape))
        return false;
    n->out->node = n;
    n->out->needs_grad = needs_gradient(tape, n);
    return true;
}

/* Under tape->watch: are the result's numbers finite? */
static bool check_finite(const Node *n)
{
    int64_t first;
    double number;
    if (tape_all_finite(n->out, n->out->data, &first, &number))
        return true;
    return op_fail(n,
                   "element %lld of the result %s is %g; expected a finite number; the first "
                   "operand is %s",
                   (long long)first, tensor_describe(n->out), number,
                   n->in[0] ? tensor_describe(n->in[0]) : "absent");
}

/* The six steps in order. `like` is a node on the stack, which carries the operands to the
 * functions that report errors; the tape's own copy follows. Errors of the shape rule begin with
 * `function`. */
Tensor *apply_as(const char *function, const Op *op, Tensor *const *in, int inputs,
                 const void *attrs, size_t attrs_size)
{
    Tape *tape = operands_tape(function, op, in, inputs);
    if (!tape)
        return tensor_poison();

    const Node like = {.op = op,
                       .function = function,
                       .in = (Tensor **)(uintptr_t)in,
                       .inputs = inputs,
                       .attrs = attrs};
    Node *n = new_node(tape, &like, attrs_size);
    if (!n || !operands_prepare(tape, n) || !make_output(tape, n))
        return tape_fail(tape);
    /* No elements, no work, whatever the other axes are: (2^40, 0) has 2^40 empty rows. */
    if (tensor_size(n->out) > 0)
        op->forward(n);
    if (tape->watch && !check_finite(n))
        return tape_fail(tape);
    return tape_record(tape, n) ? n->out : tape_fail(tape);
}

/* The function of a program's own op is not known; its errors begin with the op's name. */
Tensor *ag_apply(const Op *op, Tensor *const *in, int inputs, const void *attrs, size_t attrs_size)
{
    if (op && op->name && op->forward && (attrs || attrs_size == 0))
        return apply_as(op->name, op, in, inputs, attrs, attrs_size);
    tensor_fail("ag_apply: %s; expected an op with a name and a forward, and %zu bytes of attrs",
                !op            ? "op is NULL"
                : !op->name    ? "the op has no name"
                : !op->forward ? "the op has no forward"
                               : "attrs is NULL",
                attrs_size);
    return tensor_poison();
}
