/* ops.c: the list of all ops. What is in it, the tests demand to know how to try (tests/autograd/ops). */
#include "autograd/autograd.h"

#define OPS(OP)                                                                                    \
    OP(abs), OP(add), OP(attention), OP(bce_with_logits), OP(clamp), OP(concat), OP(conv1d),       \
        OP(conv2d), OP(copy), OP(cross_entropy), OP(cumsum), OP(div), OP(dropout), OP(embedding),  \
        OP(exp), OP(expand), OP(gather), OP(gaussian_kl), OP(gelu), OP(gelu_tanh), OP(layernorm),  \
        OP(linear), OP(linear_cross_entropy), OP(log), OP(log_softmax), OP(logsumexp),             \
        OP(masked_fill), OP(masked_softmax), OP(matmul), OP(max), OP(maximum), OP(mean),           \
        OP(minimum), OP(mse), OP(mul), OP(neg), OP(pad), OP(pow), OP(relu), OP(rotary), OP(scale), \
        OP(sigmoid), OP(silu), OP(softmax), OP(softplus), OP(sqrt), OP(stack), OP(sub), OP(sum),   \
        OP(tanh), OP(variance), OP(where)

#define NAME(op) op_##op
extern const Op OPS(NAME);

#define ROW(op) &op_##op
const Op *const ag_ops[] = {OPS(ROW), NULL};
