/* op.h: what the files of the ops share (internal). */
#ifndef GRADUS_OP_H
#define GRADUS_OP_H

#include "autograd/tape.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/strided.h"

/* The shape rule of ops along the last axis. */
static inline bool rows_shape(const Node *n, Shape *y)
{
    return y->rank >= 1 || tensor_fail("%s: x needs rank >= 1, got %s", n->op->name, shape_str(*y));
}

/* The shape rule of losses that compare two tensors of one shape, element by element: rank 0. */
static inline bool loss_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    *y = shape0();
    return shape_equal(a->shape, b->shape) ||
           tensor_fail("%s: a is %s, b is %s; need one shape", n->op->name, tensor_describe(a),
                       tensor_describe(b));
}

/* For ops that keep one number for each of the result's. */
static inline int64_t same_size(const Node *n)
{
    return tensor_size(n->out);
}

/* For ops whose only setting is an axis: counted from the front, of so many. */
static inline int axis_of(const Node *n, int rank)
{
    const int *axis = n->attrs;
    return *axis < 0 ? *axis + rank : *axis;
}

/* ---- ops on one operand, element by element ------------------------------------------------------- */

typedef void (*UnaryKernel)(real *y, const real *x, int64_t n);

static inline void unary_forward(Node *n, UnaryKernel kernel)
{
    kernel(n->out->data, n->in[0]->data, tensor_size(n->out));
}

/* The slope is known from the operand or from the result: `known` is the one that this kernel takes. The op has
 * .inherits = 1, so that the operand's gradient may be the result's own memory. */
static inline void unary_backward(Node *n, UnaryBackward kernel, const Tensor *known)
{
    real *dx = n->in[0]->grad, *dy = n->out->grad;
    int64_t size = tensor_size(n->out);
    if (dx == dy)
        kernel_backward_in_place(kernel, dx, known->data, size);
    else
        kernel(dx, dy, known->data, size);
}

/* ---- broadcast.c: ops on two operands, element by element ---------------------------------------- */

bool broadcast_shape(const Node *n, Shape *y);
void broadcast_forward(Node *n, BinaryKernel kernel);
/* y = x, which broadcasts to y. Both may have any strides. */
void broadcast_copy(Tensor *y, const Tensor *x);

/* x.grad += alpha dy, summed over the axes along which x was broadcast. */
void broadcast_add_grad(Tensor *x, const Tensor *y, real alpha);
/* x.grad += dy * other, where other broadcasts like an operand. */
void broadcast_mul_grad(Tensor *x, const Tensor *y, const Tensor *other);
/* x.grad += dy share(more, less), the share of 0, 1/2 or 1 that kernels->maximum_share gives. x is one of the
 * two; n->saved has room for one number for each of the result's. */
void broadcast_share_grad(Node *n, Tensor *x, Tensor *more, Tensor *less);

/* ---- parts.c: ops that put each operand into a part of the result --------------------------------- */

/* Operand k's part, as a tensor of the operand's shape that shares the result's numbers and gradient. */
typedef Tensor PartOf(const Node *n, int k);

/* The part that begins `offset` numbers into the result, with its strides. */
Tensor part_at(const Node *n, int k, int64_t offset);
void parts_forward(Node *n, PartOf part_of);
void parts_backward(Node *n, PartOf part_of);

/* ---- select.c: picking elements by a mask of 0 and 1 ----------------------------------------------- */

/* False, after an error that begins with who, where the mask holds something else than 0 and 1. */
bool select_check(const char *who, const Tensor *mask);

/* y = x where the mask is `side`; elsewhere y stays. x and the mask broadcast to y. */
void select_forward(Tensor *y, const Tensor *x, const Tensor *mask, real side);
/* x.grad += dy there, summed over the axes along which x was broadcast. */
void select_backward(Tensor *x, const Tensor *y, const Tensor *mask, real side);

/* ---- softmax.c ------------------------------------------------------------------------------------- */

/* Of any softmax over the last axis, whatever was left out of it. */
void softmax_backward(Node *n);

/* ---- mask.c: from a Mask to what the kernels read ------------------------------------------------- */

/* Scores as (batch, heads, T, S). */
typedef struct {
    int64_t batch, heads, T, S;
} Scores;

/* The mask as this node has it: its tensors are operands, lengths in[first] and keep the next. */
Mask mask_at(const Node *n, Mask mask, int first);
/* Do they fit the scores? False after an error that begins with the op's name. */
bool mask_check(const Node *n, Mask mask, Scores s);
KernelMask mask_resolve(Mask mask, int64_t heads);

#endif
