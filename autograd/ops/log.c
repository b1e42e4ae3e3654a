/* y = log x, the natural logarithm, element by element; -infinity at 0, NaN for x < 0.
 *   dL/dx = dL/dy / x
 * x: any shape -> y: the same. For the logarithm of a probability, log_softmax.c does not lose
 * what softmax rounds to 0.
 * The loops: ref_log and ref_log_backward in tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void log_forward(Node *n)
{
    unary_forward(n, kernels->log);
}

static void log_backward(Node *n)
{
    unary_backward(n, kernels->log_backward, n->in[0]);
}

const Op op_log = {.name = "log",
                   .elementwise = true,
                   .forward = log_forward,
                   .backward = log_backward};

Tensor *ag_log(Tensor *x)
{
    return op_apply(&op_log, (Tensor *[]){x}, 1, NULL, 0);
}
