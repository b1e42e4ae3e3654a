/* y = a + b, element by element. The shapes broadcast by NumPy's rule.
 *   dL/da = dL/dy,  dL/db = dL/dy,  summed over the axes along which the operand is broadcast
 * Uses: residual connections (Transformer, "Add & Norm") and biases.
 * The loop: ref_add in tensor/kernels/ref/elementwise.c, for each row of kernels/strided.c. */
#include "autograd/ops/shared/op.h"

static void add_forward(Node *n)
{
    broadcast_forward(n, kernels->add);
}

const Op op_add = {.name = "add",
                   .strided = true,
                   .gradient = GRADIENT_SUM,
                   .shape = broadcast_shape,
                   .forward = add_forward,
                   .backward = broadcast_sum_backward};

Tensor *ag_add(Tensor *a, Tensor *b)
{
    return op_apply(&op_add, (Tensor *[]){a, b}, 2, NULL, 0);
}
