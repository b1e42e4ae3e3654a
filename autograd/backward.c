/* backward.c: the chain rule, once over the tape from its last node to its first.
 *
 * Nodes stand in the order of execution, a topological order of the graph, since an op's operands
 * exist before it runs. So when the loop reaches a node, every node that used its result has
 * already added its part to the result's gradient: that gradient is complete. The op's backward
 * adds the gradients of the operands, and the memory of the result's gradient is released
 * (gradients.c). */
#include "autograd/tape.h"

#include <stdatomic.h>
#include <string.h>

#include "tensor/strided_rows.h"

/* Of this thread. Poison does not tell which tape failed: then any reset ends it. */
static _Thread_local struct {
    bool failed;
    const Tape *tape; /* NULL: not known */
} last;

bool backward_failed(void)
{
    return last.failed;
}

void backward_forget(const Tape *tape)
{
    if (!last.tape || last.tape == tape)
        last.failed = false;
}

static bool ended(const Tensor *y, bool ok)
{
    last.failed = !ok;
    last.tape = y ? y->tape : NULL;
    return ok;
}

/* Can backward begin at y? Otherwise y's tape, if there is one, fails. */
static bool backward_allowed(const Tensor *y, const char *function)
{
    if (!y)
        return tensor_fail("%s: the tensor is NULL; expected the result of an op", function);
    if (tape_has_failed(y->tape, function) || tensor_is_poison(y))
        return false;
    if (!y->tape || !y->needs_grad)
        tensor_fail(
            "%s: %s depends on nothing that needs a gradient%s; expected a weight or a leaf "
            "(tape_leaf) among its inputs",
            function, tensor_describe(y),
            y->tape && y->tape->no_grad ? " (tape->no_grad is set)" : "");
    else if (!tape_is_current(y, function) || !tape_edits_used(y->tape))
        return false;
    else if (y->tape->backward_done)
        tensor_fail("%s: backward already ran on this tape; expected tape_reset and a new step "
                    "before the next one",
                    function);
    else
        return true;
    tape_fail(y->tape);
    return false;
}

/* Under tape->watch: are the gradients that this node brings to its operands finite? */
static bool check_finite(const Node *n, const char *function)
{
    int64_t first;
    double number;
    char where[256] = "";
    if (n->out->file)
        snprintf(where, sizeof where, " (computed at %s:%d)", n->out->file, n->out->line);
    for (int i = 0; i < n->inputs; i++) {
        const Tensor *x = n->in[i];
        if (!x || !x->needs_grad || tape_all_finite(x, x->grad, &first, &number))
            continue;
        return tensor_fail(
            "%s: in backward of %s%s: element %lld of the gradient of operand %d, %s, "
            "is %g; expected a finite number",
            function, n->op->name, where, (long long)first, i + 1, tensor_describe(x), number);
    }
    return true;
}

/* The chain rule: the node adds its part to the gradients of its operands. Their memory is
 * gradients.c's. False when memory is out, or tape->watch finds a number that is not finite. */
static bool backward_node(Tape *tape, Node *n, const char *function)
{
    if (!gradients_prepare(tape, n))
        return false;
    if (!gradients_done(n))
        n->op->backward(n); /* dL/dx += dL/dy dy/dx, for each operand x */
    gradients_release(tape, n);
    return !tape->watch || check_finite(n, function);
}

/* From the last node to the first; a node that no gradient has reached adds nothing. */
static bool backward_nodes(Tape *tape, const char *function)
{
    for (int i = tape->nodes - 1; i >= 0; i--) {
        Node *n = tape->node[i];
        if (n->out->needs_grad && n->out->grad && !backward_node(tape, n, function))
            return false;
    }
    return true;
}

/* Calls visit for the weights among all operands, until it returns false; that weight, or NULL. */
static Tensor *each_weight(const Tape *tape, bool (*visit)(Tensor *weight))
{
    for (int i = 0; i < tape->nodes; i++)
        for (int k = 0; k < tape->node[i]->inputs; k++) {
            Tensor *x = tape->node[i]->in[k], *weight = x && x->base ? x->base : x;
            if (weight && !weight->tape && weight->grad && !visit(weight))
                return weight;
        }
    return NULL;
}

static bool zero_gradient(Tensor *weight)
{
    memset(weight->grad, 0, (size_t)tensor_size(weight) * sizeof(real));
    return true;
}

/* A thread owns a weight while it adds to its gradient: two threads at once would lose numbers. Its
 * mark stands in Tensor.step, which weights do not use otherwise. */
static _Thread_local char mark;

static bool own(Tensor *weight)
{
    atomic_uint_least64_t *step = (atomic_uint_least64_t *)&weight->step;
    const uint64_t mine = (uintptr_t)&mark;
    uint64_t owner = 0;
    return atomic_compare_exchange_strong(step, &owner, mine) || owner == mine;
}

static bool disown(Tensor *weight)
{
    atomic_uint_least64_t *step = (atomic_uint_least64_t *)&weight->step;
    uint64_t mine = (uintptr_t)&mark;
    return atomic_compare_exchange_strong(step, &mine, 0) || true;
}

/* Does the thread own all weights of the tape now? Otherwise it owns none. */
static bool own_weights(const Tape *tape, const char *function)
{
    const Tensor *other = each_weight(tape, own);
    if (!other)
        return true;
    each_weight(tape, disown);
    return tensor_fail("%s: another thread is in backward over the weight %s; expected one thread "
                       "at a time",
                       function, tensor_describe(other));
}

/* Backward failed midway: the weights' gradients hold parts of a sum, or NaNs. They become 0. */
static bool give_up(Tape *tape)
{
    tape_fail(tape);
    each_weight(tape, zero_gradient);
    return false;
}

/* Backward from y with the gradient `upstream` (one number for each element of y, in row-major
 * order), which is added to y's own. */
static bool backward_from(Tensor *y, const real *upstream, const char *function)
{
    Tape *tape = y->tape;
    if (!own_weights(tape, function) || !gradient_begin(tape, y)) {
        tape_fail(tape);
        return false;
    }
    tape->backward_done = true;
    StridedElements e = strided_elements(y); /* y may be a view */
    for (int64_t i = 0; y->grad && i < tensor_size(y); i++, strided_elements_next(&e))
        y->grad[e.at] += upstream[i];

    bool ok = backward_nodes(tape, function);
    if (ok)
        gradients_finish(tape);
    else
        give_up(tape);
    each_weight(tape, disown);
    return ok;
}

bool ag_backward_from(Tensor *y, const real *upstream)
{
    if (!backward_allowed(y, "ag_backward_from"))
        return ended(y, false);
    if (upstream || tensor_size(y) == 0)
        return ended(y, backward_from(y, upstream, "ag_backward_from"));
    tape_error(y->tape, "ag_backward_from: upstream is NULL; expected a gradient of shape %s",
               shape_str(y->shape));
    return ended(y, false);
}

/* The gradient of a loss with respect to itself is 1. */
bool ag_backward(Tensor *loss)
{
    bool usable = !tensor_is_poison(loss) && !(loss->tape && loss->tape->failed);
    if (usable && tensor_size(loss) != 1) {
        tape_error(
            loss->tape,
            "ag_backward: the loss is %s; expected one element (ag_mean and ag_sum make one)",
            tensor_describe(loss));
        return ended(loss, false);
    }
    return ended(loss, backward_allowed(loss, "ag_backward") &&
                           backward_from(loss, (real[]){1}, "ag_backward"));
}
