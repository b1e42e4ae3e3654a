/* log sum_j exp(x_j) along one axis, without overflow; -infinity along an axis of length 0.
 *   y       = m + log sum_j exp(x_j - m),  m = max_j x_j
 *   dL/dx_i = dL/dy exp(x_i - y),  0 where y is -infinity
 * The axis is removed, or kept with length 1. exp(x_i - y) is the softmax: the gradient of
 * logsumexp is softmax.
 * The loops: ref_logsumexp and ref_logsumexp_backward in tensor/kernels/ref/reduce.c. */
#include "autograd/ops/shared/op.h"

static void logsumexp_forward(Node *n)
{
    Reduction r = reduce_sizes(n);
    kernels->logsumexp(n->out->data, n->in[0]->data, r.outer, r.n, r.inner);
}

static void logsumexp_backward(Node *n)
{
    const Tensor *x = n->in[0], *y = n->out;
    Reduction r = reduce_sizes(n);
    kernels->logsumexp_backward(x->grad, y->grad, x->data, y->data, r.outer, r.n, r.inner);
}

const Op op_logsumexp = {.name = "logsumexp",
                         .shape = reduce_shape,
                         .forward = logsumexp_forward,
                         .backward = logsumexp_backward};

Tensor *ag_logsumexp(Tensor *x, int axis, bool keepdim)
{
    return reduce_apply(&op_logsumexp, x, (ReduceAttrs){.axis = axis, .keepdim = keepdim});
}
