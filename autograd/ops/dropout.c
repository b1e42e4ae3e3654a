/* Dropout.
 *   y_i = x_i / (1 - p) with probability 1 - p, else 0
 *   dL/dx_i = dL/dy_i / (1 - p) or 0, for the same i
 * Inverted dropout: the expectation of y is x, so that evaluation changes nothing. Which elements
 * are dropped is a function of (seed, step, number of earlier dropouts in this step, i): no mask is
 * stored. Source: Srivastava et al. 2014. Lecture: J "Regularization: Dropout"
 * (lectures/README.md). The loops: ref_dropout and ref_dropout_backward in
 * tensor/kernels/ref/dropout.c, with the rule kernel_keeps. */
#include "autograd/ops/shared/op.h"

DropoutAttrs dropout_attrs(const Tensor *x, real p)
{
    DropoutAttrs attrs = {.p = (double)p};
    Tape *tape = tensor_is_poison(x) ? NULL : x->tape;
    if (p > 0 && tape && tape->training) {
        tape->step += tape->inside->dropouts++ == 0;
        attrs.stream = (tape->step << 20) + tape->inside->dropouts;
    }
    return attrs;
}

bool dropout_check(const Node *n, real p)
{
    return (p >= 0 && p < 1) ||
           op_fail(n, "the dropout probability is %g; expected 0 <= p < 1", (double)p);
}

static bool dropout_shape(const Node *n, Shape *y)
{
    const DropoutAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    return dropout_check(n, (real)attrs->p);
}

static void dropout_forward(Node *n)
{
    const DropoutAttrs *attrs = n->attrs;
    kernels->dropout(n->out->data, n->in[0]->data, (real)attrs->p, n->out->tape->seed,
                     attrs->stream, tensor_size(n->out));
}

/* The same dropout of dL/dy, by the same stream. A gradient that begins here is written. */
static void dropout_backward(Node *n)
{
    const DropoutAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    uint64_t seed = y->tape->seed, stream = attrs->stream;
    if (gradient_is_unwritten(n, 0))
        kernels->dropout(x->grad, y->grad, (real)attrs->p, seed, stream, tensor_size(y));
    else
        kernels->dropout_backward(x->grad, y->grad, (real)attrs->p, seed, stream, tensor_size(y));
}

const Op op_dropout = {.name = "dropout",
                       .shape = dropout_shape,
                       .forward = dropout_forward,
                       .backward = dropout_backward,
                       .inside = &(const struct OpInside){.writes = 1 << 0}};

/* Without anything to drop (in evaluation, or p = 0) the result is x itself: no node, no copy. */
Tensor *ag_dropout(Tensor *x, double p)
{
    DropoutAttrs attrs = dropout_attrs(x, p);
    if (p >= 0 && p < 1 && attrs.stream == 0 && x && x->tape && !x->ids)
        return tape_is_current(x, "ag_dropout") ? x : tensor_poison();
    return op_apply(&op_dropout, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
