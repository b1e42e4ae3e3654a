/* The larger of a and b, element by element; NaN where one of them is NaN.
 *   dL/da = dL/dy where a > b, dL/dy / 2 where a = b, else 0; dL/db likewise;
 *   summed over broadcast axes
 * Shapes meet by NumPy's rule. */
#include "autograd/ops/shared/op.h"

static void maximum_forward(Node *n)
{
    broadcast_forward(n, kernels->maximum);
}

static void maximum_backward(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1];
    broadcast_share_grad(n, a, a, b);
    broadcast_share_grad(n, b, b, a);
}

const Op op_maximum = {.name = "maximum",
                       .strided = true,
                       .shape = broadcast_shape,
                       .saved = same_size,
                       .forward = maximum_forward,
                       .backward = maximum_backward};

Tensor *ag_maximum(Tensor *a, Tensor *b)
{
    return ag_apply(&op_maximum, (Tensor *[]){a, b}, 2, NULL, 0);
}
