/* y = x + s, element by element, with one number s.
 *   dL/dx = dL/dy
 * x: any shape -> y: the same. 1 - x is ag_shift(ag_neg(x), 1).
 * The loops: ref_add and ref_muladd in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void shift_forward(Node *n)
{
    const real *s = n->attrs;
    kernels->add(n->out->data, n->in[0]->data, 1, s, 0, tensor_size(n->out));
}

static void shift_backward(Node *n)
{
    const real one = 1;
    kernels->muladd(n->in[0]->grad, 1, 1, n->out->grad, 1, &one, 0, tensor_size(n->out));
}

const Op op_shift = {.name = "shift",
                     .elementwise = true,
                     .forward = shift_forward,
                     .backward = shift_backward};

Tensor *ag_shift(Tensor *x, double s)
{
    return op_apply(&op_shift, (Tensor *[]){x}, 1, &(real){(real)s}, sizeof(real));
}
