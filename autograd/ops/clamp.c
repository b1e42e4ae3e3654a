/* y = min(max(x, low), high), element by element.
 *   dL/dx = dL/dy where low <= x <= high, else 0
 * Errors: low > high; low or high is NaN.
 * x: any shape -> y: the same. At low and at high themselves the gradient passes, as in PyTorch.
 * The loops: ref_clamp and ref_clamp_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

#include <math.h>

typedef struct {
    real low, high;
} ClampAttrs;

/* A comparison with NaN is false, so that one condition finds both errors. */
static bool clamp_shape(const Node *n, Shape *y)
{
    const ClampAttrs *attrs = n->attrs;
    *y = n->in[0]->shape;
    return attrs->low <= attrs->high || op_fail(n, "low %g, high %g; expected low <= high",
                                                (double)attrs->low, (double)attrs->high);
}

static void clamp_forward(Node *n)
{
    const ClampAttrs *attrs = n->attrs;
    kernels->clamp(n->out->data, n->in[0]->data, attrs->low, attrs->high, tensor_size(n->out));
}

static void clamp_backward(Node *n)
{
    const ClampAttrs *attrs = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    kernels->clamp_backward(x->grad, y->grad, x->data, attrs->low, attrs->high, tensor_size(y));
}

const Op op_clamp = {.name = "clamp",
                     .gradient = GRADIENT_ELEMENTWISE,
                     .shape = clamp_shape,
                     .forward = clamp_forward,
                     .backward = clamp_backward};

Tensor *ag_clamp(Tensor *x, real low, real high)
{
    ClampAttrs attrs = {low, high};
    return op_apply(&op_clamp, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
