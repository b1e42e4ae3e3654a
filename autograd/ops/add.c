/* y = a + b, element by element. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy,  dL/db = dL/dy,  summed over the axes along which the operand is broadcast
 * Uses: residual connections (Transformer, "Add & Norm") and biases.
 * The loop: ref_add in tensor/kernels/ref/elementwise.c, for each row of kernels/strided.c. */
#include "autograd/ops/shared/op.h"

static void add_forward(Node *n)
{
    broadcast_forward(n, kernels->add);
}

/* dL/dx is dL/dy, summed over the axes along which x is broadcast: without such axes, a gradient
 * that begins here is a copy. */
static void operand_backward(const Node *n, int i)
{
    Tensor *x = n->in[i], *y = n->out;
    if (gradient_is_unwritten(n, i) && shape_equal(x->shape, y->shape)) {
        kernels->copy(x->grad, y->grad, 1, tensor_size(y));
        return;
    }
    gradient_clear(n, i);
    broadcast_add_grad(x, y, 1);
}

static void add_backward(Node *n)
{
    operand_backward(n, 0);
    operand_backward(n, 1);
}

const Op op_add = {.name = "add",
                   .strided = true,
                   .shape = broadcast_shape,
                   .forward = add_forward,
                   .backward = add_backward,
                   .inside = &(const struct OpInside){.writes = 1 << 0 | 1 << 1}};

Tensor *ag_add(Tensor *a, Tensor *b)
{
    return op_apply(&op_add, (Tensor *[]){a, b}, 2, NULL, 0);
}
