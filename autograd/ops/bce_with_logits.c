/* Binary cross-entropy of logits against probabilities: the reconstruction loss of a VAE on black
 * and white images.
 *   L = -1/n sum_i (t_i log s_i + (1 - t_i) log(1 - s_i)),   s_i = 1 / (1 + exp(-x_i))
 *     =  1/n sum_i (max(x_i, 0) - x_i t_i + log(1 + exp(-|x_i|))),  which overflows for no x
 *   dL/dx_i = (s_i - t_i) / n,  dL/dt_i = -x_i / n
 * logits x, targets t (from 0 to 1): one shape of n elements -> rank 0; NaN for n = 0, as in
 * PyTorch. Lecture: H "Training VAEs" (lectures/README.md). The loops: ref_bce and ref_bce_backward
 * in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

static bool bce_with_logits_shape(const Node *n, Shape *y)
{
    return loss_shape(n, y, "logits", "targets");
}

static void bce_with_logits_forward(Node *n)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    kernels->bce(n->out->data, x->data, target->data, tensor_size(x));
}

static void bce_with_logits_backward(Node *n)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    kernels->bce_backward(x->grad, target->grad, n->out->grad[0], x->data, target->data,
                          tensor_size(x));
}

const Op op_bce_with_logits = {.name = "bce_with_logits",
                               .shape = bce_with_logits_shape,
                               .forward = bce_with_logits_forward,
                               .backward = bce_with_logits_backward};

Tensor *ag_bce_with_logits(Tensor *logits, Tensor *targets)
{
    return op_apply(&op_bce_with_logits, (Tensor *[]){logits, targets}, 2, NULL, 0);
}
