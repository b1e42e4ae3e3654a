/* s x, element by element, s a number.
 *   dL/dx = s dL/dy */
#include "autograd/ops/shared/op.h"

static void scale_forward(Node *n)
{
    const real *s = n->attrs;
    kernels->scale(n->out->data, n->in[0]->data, *s, tensor_size(n->out));
}

static void scale_backward(Node *n)
{
    const real *s = n->attrs;
    real *dx = n->in[0]->grad, *dy = n->out->grad;
    if (dx == dy)
        kernels->scale(dx, dy, *s, tensor_size(n->out));
    else
        kernels->axpy(dx, 1, *s, dy, 1, tensor_size(n->out));
}

const Op op_scale = {.name = "scale",
                     .inherits = 1,
                     .forward = scale_forward,
                     .backward = scale_backward};

Tensor *ag_scale(Tensor *x, real s)
{
    return ag_apply(&op_scale, (Tensor *[]){x}, 1, &s, sizeof s);
}
