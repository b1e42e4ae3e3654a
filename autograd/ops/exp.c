/* y = e^x, element by element.
 *   dL/dx = dL/dy y
 * x: any shape -> y: the same; infinity above about 88.7 in float. Backward reads the result y, not
 * x. The loops: ref_exp and, for dy times y, ref_muladd in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void exp_forward(Node *n)
{
    kernels->exp(n->out->data, n->in[0]->data, tensor_size(n->out));
}

static void exp_backward(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    kernels->muladd(x->grad, 1, 1, y->grad, 1, y->data, 1, tensor_size(y));
}

const Op op_exp = {.name = "exp",
                   .elementwise = true,
                   .forward = exp_forward,
                   .backward = exp_backward};

Tensor *ag_exp(Tensor *x)
{
    return op_apply(&op_exp, (Tensor *[]){x}, 1, NULL, 0);
}
