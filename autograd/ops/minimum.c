/* The smaller of a and b, element by element; NaN where one of them is NaN.
 *   dL/da = dL/dy where a < b, dL/dy / 2 where a = b, else 0; dL/db likewise;
 *   summed over broadcast axes
 * Shapes meet by NumPy's rule. */
#include "autograd/ops/shared/op.h"

static void minimum_forward(Node *n)
{
    broadcast_forward(n, kernels->minimum);
}

static void minimum_backward(Node *n)
{
    Tensor *a = n->in[0], *b = n->in[1];
    broadcast_share_grad(n, a, b, a);
    broadcast_share_grad(n, b, a, b);
}

const Op op_minimum = {.name = "minimum",
                       .strided = true,
                       .shape = broadcast_shape,
                       .saved = same_size,
                       .forward = minimum_forward,
                       .backward = minimum_backward};

Tensor *ag_minimum(Tensor *a, Tensor *b)
{
    return ag_apply(&op_minimum, (Tensor *[]){a, b}, 2, NULL, 0);
}
