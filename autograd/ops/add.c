/* a + b, element by element.
 *   dL/da = dL/dy,  dL/db = dL/dy,  summed over broadcast axes
 * Shapes meet by NumPy's rule. */
#include "autograd/ops/shared/op.h"

#include <string.h>

static void add_forward(Node *n)
{
    broadcast_forward(n, kernels->add);
}

/* A gradient that nobody wrote yet is dL/dy itself, unless it is a sum over broadcast axes. One operand can have
 * its very memory; the other gets a copy. */
static void add_operand(const Node *n, int i)
{
    Tensor *x = n->in[i];
    if (x->grad == n->out->grad)
        return;
    bool fresh = n->fresh >> i & 1, same = shape_equal(x->shape, n->out->shape);
    if (fresh && same)
        kernels->copy(x->grad, n->out->grad, 1, tensor_size(x));
    else if (fresh)
        memset(x->grad, 0, (size_t)tensor_size(x) * sizeof(real));
    if (!fresh || !same)
        broadcast_add_grad(x, n->out, 1);
}

static void add_backward(Node *n)
{
    add_operand(n, 0);
    add_operand(n, 1);
}

const Op op_add = {.name = "add",
                   .strided = true,
                   .assigns = 3,
                   .inherits = 3,
                   .shape = broadcast_shape,
                   .forward = add_forward,
                   .backward = add_backward};

Tensor *ag_add(Tensor *a, Tensor *b)
{
    return ag_apply(&op_add, (Tensor *[]){a, b}, 2, NULL, 0);
}
