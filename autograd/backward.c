/* backward.c: the chain rule, once over the tape from last to first.
 *
 * The tape is in the order of execution, so when the loop reaches a node, everything that used its
 * result has already added its share to the result's gradient. That gradient is then complete; the
 * op's rule carries it on to the operands, and its memory goes to the next tensor that needs some: at once
 * to an operand, where the rule can work in place. */
#include "autograd/tape.h"

#include <string.h>

#include "tensor/strided_rows.h"

static bool backward_allowed(const Tensor *y)
{
    if (!y)
        return tensor_fail("backward: there is nothing to go back from: NULL");
    if (tensor_is_poison(y) || (y->tape && y->tape->failed))
        return false;
    if (!y->tape || !y->needs_grad)
        tensor_fail("backward: %s depends on nothing that needs a gradient%s", tensor_describe(y),
                    y->tape && y->tape->no_grad ? " (the tape has no_grad set)" : "");
    else if (tape_fresh(y, "backward") && !y->tape->backward_done)
        return true;
    else /* after an error of tape_fresh this one does not count: the first is kept */
        tensor_fail("backward: this tape was already gone back over; tape_reset and compute the "
                    "step again");
    tape_fail(y->tape);
    return false;
}

/* Under watch: is the gradient that reaches this node's operands finite? */
static bool check_finite(const Node *n)
{
    int64_t first;
    double number;
    char place[256] = "";
    if (n->file)
        snprintf(place, sizeof place, " (computed at %s:%d)", n->file, n->line);
    for (int i = 0; i < n->inputs; i++) {
        const Tensor *x = n->in[i];
        if (!x || !x->needs_grad || tape_all_finite(x, x->grad, &first, &number))
            continue;
        return tensor_fail(
            "backward of %s%s: element %lld of the gradient of operand %d, %s, is %g", n->op->name,
            place, (long long)first, i + 1, tensor_describe(x), number);
    }
    return true;
}

/* May operand i's gradient be computed in the place of the result's, which has served then? Not where others have a
 * part in it already, nor where another operand shares its numbers, and would add to what is still to be read. */
static bool can_inherit(const Tape *tape, const Node *n, int i)
{
    const Tensor *x = n->in[i], *y = n->out;
    bool can = i < 32 && n->op->inherits >> i & 1 && x && x->needs_grad && x->tape == tape &&
               !x->base && !x->grad && !y->keep_grad && shape_equal(x->shape, y->shape);
    for (int k = 0; can && k < n->inputs; k++)
        can = k == i || !n->in[k] || (n->in[k] != x && n->in[k]->base != x);
    return can && !tape_is_watched();
}

/* Carries the gradient of n's result on to its operands. */
static bool backward_node(Tape *tape, Node *n)
{
    bool any = tensor_size(n->out) > 0; /* no result, no gradient; and see ag_apply */
    bool inherited = false;
    for (int i = 0; i < n->inputs; i++) {
        if (any && !inherited && can_inherit(tape, n, i)) {
            n->in[i]->grad = n->out->grad;
            inherited = true;
            continue;
        }
        /* Who watches sees zeros before, and what was added after. */
        bool fresh = false, sets = any && i < 32 && n->op->assigns >> i & 1 && !tape_is_watched();
        if (n->in[i] && n->in[i]->needs_grad &&
            !tape_give_grad(tape, n->in[i], sets ? &fresh : NULL))
            return false;
        n->fresh |= fresh ? 1U << i : 0;
    }
    tape_tell(TAPE_BACKWARD_BEGINS, tape, n);
    if (any)
        n->op->backward(n);
    tape_tell(TAPE_BACKWARD_DONE, tape, n);
    if (tape->watch && !check_finite(n))
        return false;
    if (inherited)
        n->out->grad = NULL;
    else
        tape_take_grad(tape, n->out);
    return true;
}

/* Backward broke off: what it brought the weights is a part, perhaps with NaNs in it. Take it away. */
static bool give_up(Tape *tape)
{
    tape->failed = true;
    for (int i = 0; i < tape->nodes; i++)
        for (int k = 0; k < tape->node[i]->inputs; k++) {
            Tensor *x = tape->node[i]->in[k], *weight = x && x->base ? x->base : x;
            if (weight && !weight->tape && weight->grad)
                memset(weight->grad, 0, (size_t)tensor_size(weight) * sizeof(real));
        }
    return false;
}

bool ag_backward_from(Tensor *y, const real *upstream)
{
    if (!backward_allowed(y))
        return false;
    Tape *tape = y->tape;
    if (!upstream && tensor_size(y) > 0)
        tape_error(tape, "backward: upstream is NULL, expected a gradient of shape %s",
                   shape_str(y->shape));
    else if (!tape_give_grad(tape, y, NULL))
        tape_fail(tape);
    if (tape->failed)
        return false;
    tape->backward_done = true;
    StridedElements e = strided_elements(y); /* y may be a view */
    for (int64_t i = 0; y->grad && i < tensor_size(y); i++, strided_elements_next(&e))
        y->grad[e.at] += upstream[i];

    for (int i = tape->nodes - 1; i >= 0; i--) {
        Node *n = tape->node[i];
        if (n->out->grad && n->out->needs_grad && !backward_node(tape, n))
            return give_up(tape);
    }
    tape_settle_views(tape);
    tape_tell(TAPE_OVER, tape, NULL);
    return true;
}

bool ag_backward(Tensor *loss)
{
    bool alive = !tensor_is_poison(loss) && !(loss->tape && loss->tape->failed);
    if (alive && tensor_size(loss) != 1) {
        tape_error(loss->tape,
                   "backward: the loss is %s; it needs one element (ag_mean and ag_sum make one)",
                   tensor_describe(loss));
        return false;
    }
    return ag_backward_from(loss, (real[]){1});
}
