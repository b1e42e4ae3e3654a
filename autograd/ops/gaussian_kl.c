/* The Kullback-Leibler divergence of a normal distribution with independent coordinates from the
 * standard one.
 *   L = KL(N(m, e^v) || N(0, 1)) = -1/2 sum_i (1 + v_i - m_i^2 - exp(v_i))
 *   dL/dm_i = m_i,  dL/dv_i = (exp(v_i) - 1) / 2
 * mean m, logarithm of the variance v: one shape -> rank 0, the sum over all elements. For the mean
 * over a batch of B sequences, scale by 1 / B. Source: Kingma and Welling 2014, appendix B.
 * Lecture: H "Training VAEs" (lectures/README.md). The loops: ref_gaussian_kl and
 * ref_gaussian_kl_backward in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

static bool gaussian_kl_shape(const Node *n, Shape *y)
{
    return loss_shape(n, y, "mean", "log_variance");
}

static void gaussian_kl_forward(Node *n)
{
    const Tensor *mean = n->in[0], *log_variance = n->in[1];
    kernels->gaussian_kl(n->out->data, mean->data, log_variance->data, tensor_size(mean));
}

static void gaussian_kl_backward(Node *n)
{
    const Tensor *mean = n->in[0], *log_variance = n->in[1];
    kernels->gaussian_kl_backward(mean->grad, log_variance->grad, n->out->grad[0], mean->data,
                                  log_variance->data, tensor_size(mean));
}

const Op op_gaussian_kl = {.name = "gaussian_kl",
                           .shape = gaussian_kl_shape,
                           .forward = gaussian_kl_forward,
                           .backward = gaussian_kl_backward};

Tensor *ag_gaussian_kl(Tensor *mean, Tensor *log_variance)
{
    return op_apply(&op_gaussian_kl, (Tensor *[]){mean, log_variance}, 2, NULL, 0);
}
