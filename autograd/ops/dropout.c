/* Dropout.                       J "Regularization: Dropout"; Srivastava et al. 2014
 *   y_i = x_i / (1 - p) with probability 1 - p, else 0
 *   dL/dx_i = dL/dy_i / (1 - p) or 0, alike
 * Inverted: the expectation is x, so that at test time there is nothing to do. Which elements fall is a
 * function of (seed, step, how many dropouts came before in this step, i): no mask is stored. */
#include "autograd/ops/shared/dropout.h"

DropoutAttrs dropout_attrs(const Tensor *x, real p)
{
    DropoutAttrs attrs = {.p = p};
    if (p > 0 && !tensor_is_poison(x) && x->tape && x->tape->training)
        attrs.stream = (x->tape->step << 20) + ++x->tape->dropouts;
    return attrs;
}

bool dropout_check(const char *who, real p)
{
    return (p >= 0 && p < 1) ||
           tensor_fail("%s: dropout probability is %g; need 0 <= p < 1", who, (double)p);
}

static bool dropout_shape(const Node *n, Shape *y)
{
    const DropoutAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    return dropout_check("dropout", attrs->p);
}

static void dropout_forward(Node *n)
{
    const DropoutAttrs *attrs = n->attrs;
    kernels->dropout(n->out->data, n->in[0]->data, attrs->p, n->out->tape->seed, attrs->stream,
                     tensor_size(n->out));
}

static void dropout_backward(Node *n)
{
    const DropoutAttrs *attrs = n->attrs;
    real *dx = n->in[0]->grad, *dy = n->out->grad;
    (dx == dy ? kernels->dropout : kernels->dropout_backward)(dx, dy, attrs->p, n->out->tape->seed,
                                                              attrs->stream, tensor_size(n->out));
}

const Op op_dropout = {.name = "dropout",
                       .inherits = 1,
                       .shape = dropout_shape,
                       .forward = dropout_forward,
                       .backward = dropout_backward};

Tensor *ag_dropout(Tensor *x, real p)
{
    DropoutAttrs attrs = dropout_attrs(x, p);
    if (p >= 0 && p < 1 && attrs.stream == 0)
        return x ? x : tensor_poison();
    return ag_apply(&op_dropout, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
