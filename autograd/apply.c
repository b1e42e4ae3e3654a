/* apply.c: computing one op and recording it. Everything that all ops have in common is here. */
#include "autograd/tape.h"

#include "tensor/memory.h"

static bool is_bit(unsigned bits, int i)
{
    return i < 32 && (bits >> i & 1);
}

/* The steps that these operands belong to have failed. */
static bool fail_tapes(Tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (in[i] && in[i]->tape)
            tape_fail(in[i]->tape);
    return false;
}

/* The tape that the operands live on. NULL after an error: two tapes, none, or an earlier step. */
static Tape *common_tape(const Op *op, Tensor *const *in, int inputs)
{
    Tape *tape = NULL;
    for (int i = 0; i < inputs; i++) {
        if (!in[i] || !in[i]->tape)
            continue;
        if (!tape_fresh(in[i], op->name))
            return NULL;
        if (tape && in[i]->tape != tape) {
            tensor_fail("%s: operands are on two tapes; an op works on one", op->name);
            fail_tapes(in, inputs);
            return NULL;
        }
        tape = in[i]->tape;
    }
    if (!tape)
        tensor_fail("%s: all operands are weights, without a tape; begin with tape_param(tape, w)",
                    op->name);
    return tape;
}

/* Poison in, poison out; an operand that must be there and is not is an error of the program. */
static bool usable(const Op *op, Tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (in[i] && tensor_is_poison(in[i]))
            return fail_tapes(in, inputs);
    for (int i = 0; i < inputs || i == 0; i++)
        if (inputs == 0 || (!in[i] && !is_bit(op->optional, i))) {
            tensor_fail("%s: operand %d is NULL", op->name, i + 1);
            return fail_tapes(in, inputs);
        }
    return true;
}

/* Operands of the right kind and, unless the op takes strides, contiguous. */
static bool prepare(const Op *op, Tensor **in, int inputs)
{
    for (int i = 0; i < inputs; i++) {
        if (!in[i])
            continue;
        bool wants_ids = is_bit(op->ids, i);
        if (wants_ids != (in[i]->ids != NULL))
            return tensor_fail("%s: operand %d, %s, holds %s; need %s", op->name, i + 1,
                               tensor_describe(in[i]), wants_ids ? "real numbers" : "whole numbers",
                               wants_ids ? "whole numbers (tape_ids)" : "real ones");
        if (!wants_ids && !op->strided && !tensor_is_contiguous(in[i]))
            in[i] = ag_copy(in[i]);
        if (tensor_is_poison(in[i]))
            return false;
    }
    return true;
}

/* A node of this tape with its own copy of operands and attributes. */
static Node *new_node(Tape *tape, const Op *op, Tensor *const *in, int inputs, const void *attrs,
                      size_t attrs_size)
{
    Node *n = arena_alloc(&tape->arena, sizeof *n);
    Tensor **operands = arena_copy(&tape->arena, in, (size_t)inputs * sizeof *operands);
    void *own = attrs_size ? arena_copy(&tape->arena, attrs, attrs_size) : NULL;
    if (!n || !operands || (attrs_size && !own))
        return NULL;
    *n = (Node){.op = op, .in = operands, .inputs = inputs, .attrs = own};
    return n;
}

/* The result's header and memory, and what forward will keep. */
static bool make_output(Tape *tape, Node *n)
{
    Shape shape = n->in[0] ? n->in[0]->shape : shape0();
    if ((n->op->shape && !n->op->shape(n, &shape)) || !shape_check(shape, n->op->name))
        return false;
    n->out = tape_tensor(tape, shape);
    if (!n->out)
        return false;
    if (n->op->saved && shape_size(shape) > 0 && !(n->saved = tape_numbers(tape, n->op->saved(n))))
        return false;
    if (n->op->scratch && !tape_grow_scratch(tape))
        return false;
    n->out->node = n;
    for (int i = 0; i < n->inputs && n->op->backward && !tape->no_grad; i++)
        n->out->needs_grad |= n->in[i] && n->in[i]->needs_grad;
    return true;
}

static bool check_finite(const Node *n)
{
    int64_t first;
    double number;
    if (tape_all_finite(n->out, n->out->data, &first, &number))
        return true;
    return tensor_fail("%s: element %lld of the result %s is %g; the first operand is %s",
                       n->op->name, (long long)first, tensor_describe(n->out), number,
                       n->in[0] ? tensor_describe(n->in[0]) : "absent");
}

Tensor *ag_apply(const Op *op, Tensor *const *in, int inputs, const void *attrs, size_t attrs_size)
{
    if (!usable(op, in, inputs))
        return tensor_poison();
    Tape *tape = common_tape(op, in, inputs);
    if (!tape || tape->failed)
        return tensor_poison();

    Node *n = new_node(tape, op, in, inputs, attrs, attrs_size);
    if (!n || !prepare(op, n->in, inputs) || !make_output(tape, n))
        return tape_fail(tape);
    /* Nothing to compute is no work, whatever the other axes are: (2^40, 0) has 2^40 rows of nothing. */
    if (tensor_size(n->out) > 0)
        op->forward(n);
    if (tape->watch && !check_finite(n))
        return tape_fail(tape);
    if (!tape_record(tape, n))
        return tape_fail(tape);
    tape_tell(TAPE_COMPUTED, tape, n);
    return n->out;
}
