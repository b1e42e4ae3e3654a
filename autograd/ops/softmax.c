/* Softmax over the last axis.
 *   y_i     = exp(x_i - max x) / sum_j exp(x_j - max x)
 *   dL/dx_i = y_i (g_i - sum_j g_j y_j),  g = dL/dy
 * x: (..., n) -> y: (..., n).  Error: rank 0.
 * Lectures: Z "Self-attention", H "What is Attention" (lectures/README.md).
 * The loops: ref_softmax and ref_softmax_backward in tensor/kernels/ref/softmax.c. */
#include "autograd/ops/shared/op.h"

static void softmax_forward(Node *n)
{
    const Tensor *x = n->in[0];
    kernels->softmax(n->out->data, x->data, shape_rows(x->shape), shape_last(x->shape));
}

void softmax_backward(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    kernels->softmax_backward(x->grad, y->grad, y->data, shape_rows(x->shape),
                              shape_last(x->shape));
}

const Op op_softmax = {.name = "softmax",
                       .shape = rows_shape,
                       .forward = softmax_forward,
                       .backward = softmax_backward};

Tensor *ag_softmax(Tensor *x)
{
    return op_apply(&op_softmax, (Tensor *[]){x}, 1, NULL, 0);
}
