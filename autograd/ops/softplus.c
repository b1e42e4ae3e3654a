/* y = log(1 + e^x), a smooth max(x, 0), element by element.
 *   dL/dx = dL/dy sigmoid(x)
 * Source: Dugas, Bengio, Belisle, Nadeau, Garcia 2001.
 * x: any shape -> y: the same. Its derivative is the sigmoid; binary cross-entropy of logits is
 * made of it. The loops: ref_softplus and ref_softplus_backward in
 * tensor/kernels/ref/elementwise.c. */
#include "autograd/ops/shared/op.h"

static void softplus_forward(Node *n)
{
    unary_forward(n, kernels->softplus);
}

static void softplus_backward(Node *n)
{
    unary_backward(n, kernels->softplus_backward, n->in[0]);
}

const Op op_softplus = {.name = "softplus",
                        .elementwise = true,
                        .forward = softplus_forward,
                        .backward = softplus_backward};

Tensor *ag_softplus(Tensor *x)
{
    return op_apply(&op_softplus, (Tensor *[]){x}, 1, NULL, 0);
}
