/* a + b, element by element.
 *   dL/da = dL/dy,  dL/db = dL/dy,  summed over broadcast axes
 * Shapes meet by NumPy's rule. */
#include "autograd/ops/op.h"

static void add_forward(Node *n)
{
    broadcast_forward(n, kernels->add);
}

static void add_backward(Node *n)
{
    broadcast_add_grad(n->in[0], n->out, 1);
    broadcast_add_grad(n->in[1], n->out, 1);
}

const Op op_add = {.name = "add",
                   .strided = true,
                   .shape = broadcast_shape,
                   .forward = add_forward,
                   .backward = add_backward};

Tensor *ag_add(Tensor *a, Tensor *b)
{
    return ag_apply(&op_add, (Tensor *[]){a, b}, 2, NULL, 0);
}
