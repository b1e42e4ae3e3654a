/* ops.c: the list of all ops. A row here, and the tests try the op: gradient, oracle, views, kernels. */
#include "autograd/autograd.h"

#define OPS(OP)        \
    OP(add)            \
    OP(attention)      \
    OP(concat)         \
    OP(copy)           \
    OP(cross_entropy)  \
    OP(div)            \
    OP(dropout)        \
    OP(embedding)      \
    OP(exp)            \
    OP(gelu)           \
    OP(layernorm)      \
    OP(linear)         \
    OP(log)            \
    OP(masked_softmax) \
    OP(matmul)         \
    OP(mean)           \
    OP(mul)            \
    OP(relu)           \
    OP(scale)          \
    OP(softmax)        \
    OP(sub)            \
    OP(sum)            \
    OP(tanh)

#define DECLARE(name) extern const Op op_##name;
OPS(DECLARE)

#define ROW(name) &op_##name,
const Op *const ag_ops[] = {OPS(ROW) NULL};
