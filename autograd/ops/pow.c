/* y = x^p, element by element, with one number p. NaN for x < 0 unless p is a whole number.
 *   dL/dx = dL/dy p x^(p-1),  0 for p = 0
 * x: any shape -> y: the same. x^0 is 1 for every x, also for 0 and NaN, as in C.
 * The loops: ref_pow and ref_pow_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void pow_forward(Node *n)
{
    const real *p = n->attrs;
    kernels->pow(n->out->data, n->in[0]->data, *p, tensor_size(n->out));
}

static void pow_backward(Node *n)
{
    const real *p = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    kernels->pow_backward(x->grad, y->grad, x->data, *p, tensor_size(y));
}

const Op op_pow = {.name = "pow",
                   .elementwise = true,
                   .forward = pow_forward,
                   .backward = pow_backward};

Tensor *ag_pow(Tensor *x, double p)
{
    return op_apply(&op_pow, (Tensor *[]){x}, 1, &(real){(real)p}, sizeof(real));
}
