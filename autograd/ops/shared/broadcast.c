/* broadcast.c: ops on operands whose shapes broadcast by NumPy's rule.
 *
 * Forward reads both operands row by row, with stride 0 along the axes on which an operand is
 * broadcast. In backward an element of a broadcast operand receives the sum of the gradients of all
 * elements that it was used for: adding with the same stride of 0 computes that sum. Neither
 * direction stores a broadcast copy: the stride 0 stands for it. */
#include "autograd/ops/shared/op.h"

bool broadcast_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    if (shape_broadcast(a->shape, b->shape, y))
        return true;
    return op_fail(n,
                   "a is %s, b is %s; expected shapes that broadcast: from the last axis on, equal "
                   "lengths or 1",
                   tensor_describe(a), tensor_describe(b));
}

void broadcast_forward(Node *n, BinaryKernel *kernel)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    Tensor *y = n->out;
    strided_binary(strided_rows(y->shape, 3, (const Tensor *[]){y, a, b}), kernel, y->data, a->data,
                   b->data);
}

void broadcast_copy(Tensor *y, const Tensor *x)
{
    strided_copy(strided_rows(y->shape, 2, (const Tensor *[]){y, x}), y->data, x->data);
}

void broadcast_add_grad(Tensor *x, const Tensor *y, real alpha)
{
    if (x->grad)
        strided_axpy(strided_rows(y->shape, 2, (const Tensor *[]){x, y}), x->grad, alpha, y->grad);
}

void broadcast_mul_grad(Tensor *x, const Tensor *y, const Tensor *other)
{
    if (x->grad)
        strided_muladd(strided_rows(y->shape, 3, (const Tensor *[]){x, y, other}), x->grad, y->grad,
                       other->data);
}
