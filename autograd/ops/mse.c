/* The mean squared error.
 *   L = 1/n sum_i (y_i - t_i)^2
 *   dL/dy_i = 2 (y_i - t_i) / n = -dL/dt_i
 * y, t: one shape of n elements -> rank 0; NaN for n = 0, as in PyTorch. Unlike in PyTorch nothing
 * broadcasts: (n) against (n, 1) would compare each element with all others. The loops: ref_mse and
 * ref_mse_backward in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

static bool mse_shape(const Node *n, Shape *y)
{
    return loss_shape(n, y, "y", "target");
}

static void mse_forward(Node *n)
{
    const Tensor *y = n->in[0], *target = n->in[1];
    kernels->mse(n->out->data, y->data, target->data, tensor_size(y));
}

static void mse_backward(Node *n)
{
    const Tensor *y = n->in[0], *target = n->in[1];
    kernels->mse_backward(y->grad, target->grad, n->out->grad[0], y->data, target->data,
                          tensor_size(y));
}

const Op op_mse = {.name = "mse",
                   .shape = mse_shape,
                   .forward = mse_forward,
                   .backward = mse_backward};

Tensor *ag_mse(Tensor *y, Tensor *target)
{
    return op_apply(&op_mse, (Tensor *[]){y, target}, 2, NULL, 0);
}
