/* y = s x, element by element, with one number s; ag_neg is s = -1.
 *   dL/dx = s dL/dy
 * x: any shape -> y: the same. The attention scores' 1 / sqrt(d) is one.
 * The loops: ref_mul and ref_muladd in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void scale_forward(Node *n)
{
    const real *s = n->attrs;
    kernels->mul(n->out->data, n->in[0]->data, 1, s, 0, tensor_size(n->out));
}

static void scale_backward(Node *n)
{
    const real *s = n->attrs;
    kernels->muladd(n->in[0]->grad, 1, 1, n->out->grad, 1, s, 0, tensor_size(n->out));
}

const Op op_scale = {.name = "scale",
                     .elementwise = true,
                     .forward = scale_forward,
                     .backward = scale_backward};

Tensor *ag_scale(Tensor *x, double s)
{
    return op_apply(&op_scale, (Tensor *[]){x}, 1, &(real){(real)s}, sizeof(real));
}

Tensor *ag_neg(Tensor *x)
{
    return op_apply(&op_scale, (Tensor *[]){x}, 1, &(real){-1}, sizeof(real));
}
