/* lora.c: low-rank adaptation of a linear layer.
 *                   Hu et al., "LoRA: low-rank adaptation of large language models" (2021)
 *   y = x W^T + b + (alpha / r) (x A^T) B^T,      W, b frozen;  A (r, in), B (out, r) trained
 * B begins with zeros, so that the adapted layer begins as the layer itself. W + (alpha / r) B A
 * has the shape of W: after merging, inference costs no more than before. */
#include "nn/internal.h"

#include <math.h>

/* A begins as the weight of a linear layer and B with zeros: the product B A is 0, but its gradient
 * in B is not, so that training can begin. */
bool nn_lora_init(Lora *l, Params *p, const char *path, Linear base, int64_t rank, double alpha)
{
    if (!(path = init_path(l, sizeof *l, p, path, "nn_lora_init")))
        return false;
    l->base = base;
    if (!base.weight)
        return tensor_fail("nn_lora_init: the layer `base` has no weight; expected one whose init "
                           "succeeded");
    int64_t out = base.weight->shape.dim[0], in = base.weight->shape.dim[1];
    if (rank < 1 || rank > in || rank > out)
        return tensor_fail("nn_lora_init: rank %lld for a layer from %lld to %lld channels; "
                           "expected 1 to %lld",
                           (long long)rank, (long long)in, (long long)out,
                           (long long)(in < out ? in : out));
    if (params_find(p, base.weight->name) != base.weight)
        return tensor_fail("nn_lora_init: the weight %s is not in params; expected a layer that "
                           "params can freeze",
                           tensor_describe(base.weight));
    if (!isfinite(alpha))
        return tensor_fail("nn_lora_init: alpha is %g; expected a finite number", alpha);
    const int first = p->count;
    l->scale = (real)(alpha / (double)rank);
    l->path = path;
    l->lora_A =
        params_add(p, params_path(p, "%s.lora_A", path), shape2(rank, in), nn_torch_linear(in));
    l->lora_B = params_add(p, params_path(p, "%s.lora_B", path), shape2(out, rank), nn_constant(0));
    if (!init_done(p, first, l->lora_A && l->lora_B))
        return false;
    params_freeze(p, base.weight->name, true);
    if (base.bias)
        params_freeze(p, base.bias->name, true);
    return true;
}

/* Two narrow products, in r channels between them, instead of one with the (out, in) matrix B A.
 * r (in + out) multiplications for each row instead of in out. */
Tensor *nn_lora(const Lora *l, Tensor *x)
{
    if (!check_module(l && l->lora_A ? l->lora_B : NULL, x, "nn_lora"))
        return tensor_poison();
    Tensor *low = ag_linear(x, l->lora_A, NULL); /* (..., r) */
    Tensor *change = ag_scale(ag_linear(low, l->lora_B, NULL), l->scale);
    return given_name(ag_add(nn_linear(&l->base, x), change), l->path, "");
}

/* Each element's sum in double. W is addressed by its strides, since a pretrained model's weight
 * may be stored as its transpose. */
bool nn_lora_merge(Lora *l)
{
    if (!check_module(l && l->lora_A ? l->lora_B : NULL, NULL, "nn_lora_merge"))
        return false;
    Tensor *W = l->base.weight, *A = l->lora_A, *B = l->lora_B;
    int64_t out = W->shape.dim[0], in = W->shape.dim[1], rank = A->shape.dim[0];
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < in; i++) {
            double sum = 0;
            for (int64_t r = 0; r < rank; r++)
                sum += (double)B->data[o * rank + r] * (double)A->data[r * in + i];
            W->data[o * W->stride[0] + i * W->stride[1]] += (real)((double)l->scale * sum);
        }
    /* B A is in W now and must not be added a second time. */
    for (int64_t k = 0; k < out * rank; k++)
        B->data[k] = 0;
    return true;
}
