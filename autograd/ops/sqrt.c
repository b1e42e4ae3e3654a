/* The square root, element by element; of less than 0 it gives NaN.
 *   dL/dx = dL/dy / (2 y),  infinite at 0 */
#include "autograd/ops/op.h"

static void sqrt_forward(Node *n)
{
    unary_forward(n, kernels->sqrt);
}

static void sqrt_backward(Node *n)
{
    unary_backward(n, kernels->sqrt_back, n->out);
}

static Tensor *sqrt_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_sqrt(in[0]);
}

static const OpSample sqrt_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest sqrt_test = {
    .call = sqrt_call, .oracle = "torch.sqrt(a)", .low = 0.3, .high = 3, .samples = sqrt_samples};

const Op op_sqrt = {
    .name = "sqrt",
    .required = 1,
    .shape = same_shape,
    .forward = sqrt_forward,
    .backward = sqrt_backward,
    .test = &sqrt_test,
};

Tensor *ag_sqrt(Tensor *x)
{
    return ag_apply(&op_sqrt, (Tensor *[]){x}, 1, NULL, 0);
}
