/* y = min(max(x, low), high), element by element, with two numbers low <= high.
 *   dL/dx = dL/dy where low <= x <= high, else 0
 * x: any shape -> y: the same; NaN stays NaN. At low and at high the whole gradient passes, as in
 * PyTorch.
 * Error: low above high, or one of them NaN. */
#include "autograd/ops/shared/op.h"

typedef struct {
    real low, high;
} ClampAttrs;

static bool clamp_shape(const Node *n, Shape *y)
{
    const ClampAttrs *a = n->attrs;
    (void)y;
    return a->low <= a->high || op_fail(n,
                                        "from %g to %g; expected a first bound that is not above "
                                        "the second",
                                        (double)a->low, (double)a->high);
}

static void clamp_forward(Node *n)
{
    const ClampAttrs *a = n->attrs;
    const real *x = n->in[0]->data;
    for (int64_t i = 0; i < tensor_size(n->out); i++)
        n->out->data[i] = x[i] < a->low ? a->low : x[i] > a->high ? a->high : x[i];
}

static void clamp_backward(Node *n)
{
    const ClampAttrs *a = n->attrs;
    const Tensor *x = n->in[0];
    for (int64_t i = 0; i < tensor_size(n->out); i++)
        if (x->data[i] >= a->low && x->data[i] <= a->high)
            x->grad[i] += n->out->grad[i];
}

const Op op_clamp = {.name = "clamp",
                     .elementwise = true,
                     .shape = clamp_shape,
                     .forward = clamp_forward,
                     .backward = clamp_backward};

Tensor *ag_clamp(Tensor *x, double low, double high)
{
    const ClampAttrs attrs = {(real)low, (real)high};
    return op_apply(&op_clamp, (Tensor *[]){x}, 1, &attrs, sizeof attrs);
}
