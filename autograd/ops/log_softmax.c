/* The logarithm of softmax over the last axis, exact also where the probability itself underflows.
 *   y_i     = x_i - log sum_j exp(x_j)
 *   dL/dx_i = g_i - exp(y_i) sum_j g_j,  g = dL/dy
 * x: (..., n) -> y: (..., n).  Error: rank 0.
 * Use: log-likelihoods of sequences, which add up where probabilities would multiply to 0.
 * The loops: ref_log_softmax and ref_log_softmax_backward in tensor/kernels/ref/softmax.c. */
#include "autograd/ops/shared/op.h"

static void log_softmax_forward(Node *n)
{
    const Tensor *x = n->in[0];
    kernels->log_softmax(n->out->data, x->data, shape_rows(x->shape), shape_last(x->shape));
}

static void log_softmax_backward(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    kernels->log_softmax_backward(x->grad, y->grad, y->data, shape_rows(x->shape),
                                  shape_last(x->shape));
}

const Op op_log_softmax = {.name = "log_softmax",
                           .shape = rows_shape,
                           .forward = log_softmax_forward,
                           .backward = log_softmax_backward};

Tensor *ag_log_softmax(Tensor *x)
{
    return op_apply(&op_log_softmax, (Tensor *[]){x}, 1, NULL, 0);
}
