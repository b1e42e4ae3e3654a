/* operands.c: are the operands of an op there, on one tape, of this step, and of the right kind?
 * See tape.h; apply.c asks before it computes. */
#include "autograd/tape.h"

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

Tape *operands_tape(const char *function, const Op *op, Tensor *const *in, int inputs)
{
    if (!has_operands(function, in, inputs) || !operands_usable(function, op, in, inputs))
        return NULL;
    Tape *tape = common_tape(function, in, inputs);
    return tape_has_failed(tape, function) ? NULL : tape;
}

/* A copy is an op of its own on the tape, so that its backward brings the gradient back to the
 * view's base. */
bool operands_prepare(Tape *tape, const Node *n)
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
