/* broadcast.c: ops on two operands whose shapes meet by NumPy's rule.
 *
 * Forward walks both operands in step; a broadcast axis is walked with stride 0. On the way back the
 * same element of a broadcast operand receives the gradients of all the places where it was used, so
 * they are summed: the walk's stride of 0 does just that. */
#include "autograd/ops/shared/op.h"

bool broadcast_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    if (shape_broadcast(a->shape, b->shape, y))
        return true;
    return tensor_fail("%s: a is %s, b is %s; from the last axis on, lengths must be equal or 1",
                       n->op->name, tensor_describe(a), tensor_describe(b));
}

void broadcast_forward(Node *n, BinaryKernel kernel)
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

void broadcast_share_grad(Node *n, Tensor *x, Tensor *more, Tensor *less)
{
    if (!x->grad)
        return;
    Tensor share = *n->out;
    share.data = n->saved;
    Node compare = {.in = (Tensor *[]){more, less}, .out = &share};
    broadcast_forward(&compare, kernels->maximum_share);
    broadcast_mul_grad(x, n->out, &share);
}
