/* parts.c: ops that copy each operand to a part of the result: concat, pad. */
#include "autograd/ops/shared/op.h"

/* The header lives in the caller; the invariant of strides reads base and offset. */
Tensor part_at(const Node *n, int k, int64_t offset)
{
    Tensor part = *n->out;
    part.shape = n->in[k]->shape;
    part.base = n->out;
    part.offset = offset;
    part.data += offset;
    part.grad = part.grad ? part.grad + offset : NULL;
    return part;
}

/* Each element is written once where the parts cover the result; pad fills the rest before. */
void parts_forward(Node *n, PartOf part_of)
{
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = part_of(n, k);
        broadcast_copy(&part, n->in[k]);
    }
}

void parts_backward(Node *n, PartOf part_of)
{
    for (int k = 0; k < n->inputs; k++) {
        Tensor part = part_of(n, k);
        broadcast_add_grad(n->in[k], &part, 1);
    }
}
