/* y = -x, element by element.
 *   dL/dx = -dL/dy
 * x: any shape -> y: the same.
 * The loops: ref_scale and ref_axpy in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void neg_forward(Node *n)
{
    kernels->scale(n->out->data, n->in[0]->data, -1, tensor_size(n->out));
}

static void neg_backward(Node *n)
{
    kernels->axpy(n->in[0]->grad, 1, -1, n->out->grad, 1, tensor_size(n->out));
}

const Op op_neg = {.name = "neg",
                   .elementwise = true,
                   .forward = neg_forward,
                   .backward = neg_backward};

Tensor *ag_neg(Tensor *x)
{
    return op_apply(&op_neg, (Tensor *[]){x}, 1, NULL, 0);
}
