/* lora.c: a large layer learns something new through two small ones.
 *                   Hu et al., "LoRA: low-rank adaptation of large language models" (2021)
 *   y = x W^T + b + (alpha / r) (x A^T) B^T,      W, b frozen;  A (r, in), B (out, r) trained
 * B begins as zeros, so at first nothing changes. W + (alpha / r) B A is a layer of the old size: merged,
 * the adaptation costs nothing. */
#include "nn/internal.h"

bool nn_lora_init(Lora *l, Params *p, const char *name, Linear base, int64_t rank, double alpha)
{
    *l = (Lora){.base = base};
    if (!base.weight)
        return tensor_fail("lora: the layer has no weight; its init failed");
    int64_t out = base.weight->shape.dim[0], in = base.weight->shape.dim[1];
    if (rank < 1 || rank > in || rank > out)
        return tensor_fail("lora: rank %lld for a layer of %lld to %lld; need 1 to %lld",
                           (long long)rank, (long long)in, (long long)out,
                           (long long)(in < out ? in : out));
    if (!p || params_find(p, base.weight->name) != base.weight)
        return tensor_fail("lora: the layer's weight %s is not in params, which freezes it",
                           tensor_describe(base.weight));
    l->scale = (real)(alpha / (double)rank);
    params_enter(p, name);
    l->lora_A = params_add(p, "lora_A", shape2(rank, in), nn_torch_linear(in));
    l->lora_B = params_add(p, "lora_B", shape2(out, rank), nn_constant(0));
    params_leave(p);
    if (!l->lora_A || !l->lora_B)
        return false;
    params_freeze(p, base.weight->name, true);
    if (base.bias)
        params_freeze(p, base.bias->name, true);
    return true;
}

Tensor *nn_lora(const Lora *l, Tensor *x)
{
    Tensor *low = ag_linear(x, l->lora_A, NULL); /* (..., r) */
    return ag_add(nn_linear(&l->base, x), ag_scale(ag_linear(low, l->lora_B, NULL), l->scale));
}

bool nn_lora_merge(Lora *l)
{
    if (!l->lora_A || !l->lora_B)
        return tensor_fail("lora: the module has no weights; its init failed");
    Tensor *W = l->base.weight, *A = l->lora_A, *B = l->lora_B;
    int64_t out = W->shape.dim[0], in = W->shape.dim[1], rank = A->shape.dim[0];
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < in; i++) {
            double sum = 0;
            for (int64_t r = 0; r < rank; r++)
                sum += (double)B->data[o * rank + r] * (double)A->data[r * in + i];
            W->data[o * in + i] += (real)((double)l->scale * sum);
        }
    for (int64_t k = 0; k < out * rank; k++) /* so that it is not added a second time */
        B->data[k] = 0;
    return true;
}
