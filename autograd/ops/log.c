/* The natural logarithm, element by element; of 0 it gives -infinity, of less NaN.
 *   dL/dx = dL/dy / x */
#include "autograd/ops/op.h"

static void log_forward(Node *n)
{
    unary_forward(n, kernels->log);
}

static void log_backward(Node *n)
{
    unary_backward(n, kernels->log_back, n->in[0]);
}

static Tensor *log_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_log(in[0]);
}

static const OpSample log_samples[] = ELEMENTWISE_SAMPLES;
static const OpTest log_test = {
    .call = log_call, .oracle = "torch.log(a)", .low = 0.3, .high = 3, .samples = log_samples};

const Op op_log = {
    .name = "log",
    .required = 1,
    .shape = same_shape,
    .forward = log_forward,
    .backward = log_backward,
    .test = &log_test,
};

Tensor *ag_log(Tensor *x)
{
    return ag_apply(&op_log, (Tensor *[]){x}, 1, NULL, 0);
}
