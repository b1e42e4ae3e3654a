/* broadcast.c: ops on two operands whose shapes meet by NumPy's rule.
 *
 * Forward walks both operands in step; a broadcast axis is walked with stride 0. On the way back the
 * same element of a broadcast operand receives the gradients of all the places where it was used, so
 * they are summed: the walk's stride of 0 does just that. */
#include "autograd/ops/op.h"

#include "tensor/walk.h"

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
    for (Walk w = walk_tensors(y->shape, 3, (const Tensor *[]){y, a, b}); !w.done; walk_next(&w))
        kernel(y->data + w.offset[0], a->data + w.offset[1], w.inner[1], b->data + w.offset[2],
               w.inner[2], w.length);
}

void broadcast_copy(Tensor *y, const Tensor *x)
{
    for (Walk w = walk_tensors(y->shape, 2, (const Tensor *[]){y, x}); !w.done; walk_next(&w)) {
        real *to = y->data + w.offset[0];
        const real *from = x->data + w.offset[1];
        if (w.inner[0] == 1)
            kernels->copy(to, from, w.inner[1], w.length);
        else
            for (int64_t i = 0; i < w.length; i++)
                to[i * w.inner[0]] = from[i * w.inner[1]];
    }
}

void broadcast_add_grad(Tensor *x, const Tensor *y, real alpha)
{
    if (!x->grad)
        return;
    for (Walk w = walk_tensors(y->shape, 2, (const Tensor *[]){x, y}); !w.done; walk_next(&w))
        kernels->axpy(x->grad + w.offset[0], w.inner[0], alpha, y->grad + w.offset[1], w.inner[1],
                      w.length);
}

void broadcast_mul_grad(Tensor *x, const Tensor *y, const Tensor *other)
{
    if (!x->grad)
        return;
    for (Walk w = walk_tensors(y->shape, 3, (const Tensor *[]){x, y, other}); !w.done;
         walk_next(&w))
        kernels->muladd(x->grad + w.offset[0], w.inner[0], 1, y->grad + w.offset[1], w.inner[1],
                        other->data + w.offset[2], w.inner[2], w.length);
}

void broadcast_share_grad(Node *n, Tensor *x, Tensor *more, Tensor *less)
{
    if (!x->grad)
        return;
    Tensor share = *n->out;
    share.data = n->saved;
    Node compare = {.in = (Tensor *[]){more, less}, .out = &share};
    broadcast_forward(&compare, kernels->larger_share);
    broadcast_mul_grad(x, n->out, &share);
}
