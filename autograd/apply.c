/* apply.c: computing one op and recording it. Every op passes through here.
 *
 *   check the operands -> make the node -> shape -> memory -> forward -> record          (apply_as)
 *
 * Where a step fails, the tape is marked as failed and the result is poison.
 *
 * Invariants: a node is recorded only after its forward succeeded, so that every node on the tape
 * has a result; the operands that it stores are those that forward read, copies of views included;
 * the caller's arrays of operands and attributes are not needed afterwards. */
#include "autograd/tape.h"

#include "tensor/memory.h"

/* Is bit i set? Bits describe the first 32 operands; later ones are plain and required. */
static bool is_bit(unsigned bits, int i)
{
    return i < 32 && (bits >> i & 1);
}

/* The tapes of the operands fail, if they have not before. Always false. */
static bool fail_tapes(const char *function, Tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (in[i] && !tape_has_failed(in[i]->tape, function))
            tape_fail(in[i]->tape);
    return false;
}

/* Are there operands? Nothing is read from `in` before its count is known to be sensible. */
static bool has_operands(const char *function, Tensor *const *in, int inputs)
{
    if (inputs < 1 || inputs > AG_OPERANDS_MAX)
        return tensor_fail("%s: %d operands; expected 1 to %d", function, inputs, AG_OPERANDS_MAX);
    return in ||
           tensor_fail("%s: the array of operands is NULL; expected %d operands", function, inputs);
}

/* A poison operand makes the result poison, without a new error; a missing one is an error. */
static bool operands_usable(const char *function, const Op *op, Tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (in[i] && tensor_is_poison(in[i]))
            return fail_tapes(function, in, inputs);
    for (int i = 0; i < inputs; i++)
        if (!in[i] && !is_bit(op->optional, i)) {
            tensor_fail("%s: operand %d is NULL; expected a tensor", function, i + 1);
            return fail_tapes(function, in, inputs);
        }
    return true;
}

/* The operands' tape. NULL after an error: two tapes, none, or a tensor of an earlier step. */
static Tape *common_tape(const char *function, Tensor *const *in, int inputs)
{
    Tape *tape = NULL;
    for (int i = 0; i < inputs; i++) {
        if (!in[i] || !in[i]->tape)
            continue;
        if (!tape_is_current(in[i], function))
            return NULL;
        if (tape && in[i]->tape != tape) {
            tensor_fail("%s: the operands are on two tapes; expected one", function);
            fail_tapes(function, in, inputs);
            return NULL;
        }
        tape = in[i]->tape;
    }
    if (!tape)
        tensor_fail("%s: no operand is on a tape; expected one that is (tape_param puts a weight "
                    "there)",
                    function);
    return tape;
}

/* Are the operands of the right kind? Those that are not contiguous are replaced by copies, unless
 * the op takes strides. A copy is an op of its own on the tape, so that its backward brings the
 * gradient back to the view's base. */
static bool prepare_operands(Tape *tape, const Node *n)
{
    for (int i = 0; i < n->inputs; i++) {
        Tensor **x = &n->in[i];
        if (!*x)
            continue;
        bool wants_ids = is_bit(n->op->ids, i);
        if (wants_ids != ((*x)->ids != NULL))
            return op_fail(n, "operand %d, %s, holds %s; expected %s", i + 1, tensor_describe(*x),
                           wants_ids ? "real numbers" : "whole numbers",
                           wants_ids ? "whole numbers (tape_ids)" : "real numbers");
        if (!wants_ids && !n->op->strided && !tensor_is_contiguous(*x))
            *x = ag_copy(tape_param(tape, *x));
        if (tensor_is_poison(*x))
            return false;
    }
    return true;
}

/* A node of this tape with its own copy of operands and attributes.
 * It lives in the tape's arena until the reset, also where the op fails later. */
static Node *new_node(Tape *tape, const Node *like, size_t attrs_size)
{
    Node *n = arena_alloc(&tape->arena, sizeof *n);
    Tensor **in = arena_copy(&tape->arena, like->in, (size_t)like->inputs * sizeof *in);
    void *attrs = attrs_size ? arena_copy(&tape->arena, like->attrs, attrs_size) : NULL;
    if (!n || !in || (attrs_size && !attrs))
        return NULL;
    *n = *like;
    n->in = in;
    n->attrs = attrs;
    return n;
}

/* Makes the result's header and memory, and the memory of what forward keeps. The shape rule begins
 * with the shape of the first operand; an op without a rule, such as relu, keeps it. A result needs
 * a gradient if any operand does, unless its op has no backward or tape->no_grad is set. */
static bool make_output(Tape *tape, Node *n)
{
    Shape shape = n->in[0] ? n->in[0]->shape : shape0();
    if ((n->op->shape && !n->op->shape(n, &shape)) || !shape_check(shape, n->function))
        return false;
    bool needs_grad = false;
    for (int i = 0; i < n->inputs && n->op->backward && !tape->no_grad; i++)
        needs_grad |= n->in[i] && n->in[i]->needs_grad;
    n->out = tape_tensor(tape, shape);
    if (!n->out)
        return false;
    if (n->op->saved && shape_size(shape) > 0 && !(n->saved = tape_numbers(tape, n->op->saved(n))))
        return false;
    if (n->op->inside && n->op->inside->scratch && !tape_grow_scratch(tape))
        return false;
    n->out->node = n;
    n->out->needs_grad = needs_grad;
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
    if (!has_operands(function, in, inputs) || !operands_usable(function, op, in, inputs))
        return tensor_poison();
    Tape *tape = common_tape(function, in, inputs);
    if (!tape || tape_has_failed(tape, function))
        return tensor_poison();

    const Node like = {.op = op,
                       .function = function,
                       .in = (Tensor **)(uintptr_t)in,
                       .inputs = inputs,
                       .attrs = attrs};
    Node *n = new_node(tape, &like, attrs_size);
    if (!n || !prepare_operands(tape, n) || !make_output(tape, n))
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
    if (!op)
        tensor_fail("ag_apply: op is NULL; expected an op");
    else if (!op->name || !op->forward)
        tensor_fail("ag_apply: the op has no %s; expected one", op->name ? "forward" : "name");
    else
        tensor_fail("ag_apply: attrs is NULL; expected %zu bytes", attrs_size);
    return tensor_poison();
}
