/* op.h: what the files of the ops share (internal).
 *
 * An op's file includes this header and defines the op's shape rule, forward and backward, named
 * after the op. What many ops have in common is declared here. */
#ifndef GRADUS_OP_H
#define GRADUS_OP_H

#include "autograd/tape.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/strided.h"
#include "tensor/threads/parallel.h"

/* x, or a copy of a view of numbers that are not contiguous: for ops that take strides, but not
 * those of every operand. What is wrong with x, the op reports. */
static inline Tensor *contiguous(Tensor *x)
{
    return x && x->tape && x->data && !tensor_is_contiguous(x) ? ag_copy(x) : x;
}

/* The shape rule of ops over the last axis: any shape but rank 0. */
static inline bool rows_shape(const Node *n, Shape *y)
{
    return y->rank >= 1 || op_fail(n, "x is %s; expected rank 1 or more", shape_str(*y));
}

/* Op.saved of ops that keep one number for each element of the result. */
static inline int64_t same_size(const Node *n)
{
    return tensor_size(n->out);
}

/* The axis of an op whose only setting it is, as 0 to rank - 1. */
static inline int axis_of(const Node *n, int rank)
{
    const int *axis = n->attrs;
    return *axis < 0 ? *axis + rank : *axis;
}

/* Is operand i's gradient uninitialised memory (OpInside.writes) that backward writes? Else it
 * adds. */
static inline bool gradient_is_unwritten(const Node *n, int i)
{
    return i < 32 && n->out->tape->inside->unwritten >> i & 1;
}

/* Writes zeros to operand i's gradient where it is unwritten, so that backward can add. */
static inline void gradient_clear(const Node *n, int i)
{
    if (gradient_is_unwritten(n, i))
        parallel_zero(n->in[i]->grad, tensor_size(n->in[i]));
}

/* ---- ops on one operand, element by element -------------------------------------------------- */

/* The op y_i = f(x_i) and its function ag_f: forward is the kernel f, backward is f_backward.
 * read: in[0] or out, x or y, from which that kernel computes the derivative. All tensors are
 * contiguous: ag_apply has copied a strided operand. */
#define UNARY_OP(f, read)                                                                        \
    static void f##_forward(Node *n)                                                             \
    {                                                                                            \
        kernels->f(n->out->data, n->in[0]->data, tensor_size(n->out));                           \
    }                                                                                            \
    static void f##_backward(Node *n)                                                            \
    {                                                                                            \
        kernels->f##_backward(n->in[0]->grad, n->out->grad, n->read->data, tensor_size(n->out)); \
    }                                                                                            \
    const Op op_##f = {.name = #f,                                                               \
                       .elementwise = true,                                                      \
                       .forward = f##_forward,                                                   \
                       .backward = f##_backward};                                                \
    Tensor *ag_##f(Tensor *x)                                                                    \
    {                                                                                            \
        return op_apply(&op_##f, (Tensor *[]){x}, 1, NULL, 0);                                   \
    }

/* ---- losses that compare two tensors of one shape, element by element ------------------------ */

/* first and second: the operands' names in the op's prototype. The result has rank 0. */
static inline bool loss_shape(const Node *n, Shape *y, const char *first, const char *second)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    *y = shape0();
    if (shape_equal(a->shape, b->shape))
        return true;
    return op_fail(n, "%s is %s, %s is %s; expected one shape", first, tensor_describe(a), second,
                   tensor_describe(b));
}

/* The loss `loss` of two operands, and ag_loss: forward is the kernel k, backward k_backward. */
#define LOSS_OP(loss, k, first, second)                                            \
    static bool loss##_shape(const Node *n, Shape *y)                              \
    {                                                                              \
        return loss_shape(n, y, #first, #second);                                  \
    }                                                                              \
    static void loss##_forward(Node *n)                                            \
    {                                                                              \
        const Tensor *a = n->in[0], *b = n->in[1];                                 \
        kernels->k(n->out->data, a->data, b->data, tensor_size(a));                \
    }                                                                              \
    static void loss##_backward(Node *n)                                           \
    {                                                                              \
        const Tensor *a = n->in[0], *b = n->in[1];                                 \
        kernels->k##_backward(a->grad, b->grad, n->out->grad[0], a->data, b->data, \
                              tensor_size(a));                                     \
    }                                                                              \
    const Op op_##loss = {.name = #loss,                                           \
                          .shape = loss##_shape,                                   \
                          .forward = loss##_forward,                               \
                          .backward = loss##_backward};                            \
    Tensor *ag_##loss(Tensor *first, Tensor *second)                               \
    {                                                                              \
        return op_apply(&op_##loss, (Tensor *[]){first, second}, 2, NULL, 0);      \
    }

/* ---- broadcast.c: ops on two operands, element by element ------------------------------------ */

/* The shape rule of NumPy: false, with an error, where a and b do not broadcast. */
bool broadcast_shape(const Node *n, Shape *y);
/* y = kernel(a, b), with the operands' strides. */
void broadcast_forward(Node *n, BinaryKernel *kernel);
/* y = x, which broadcasts to y. Both may have any strides. */
void broadcast_copy(Tensor *y, const Tensor *x);

/* The op y = f(a, b) and its function ag_f: forward is the kernel f. keeps: its Op.saved. */
#define PAIR_OP(f, keeps, back)                                   \
    static void f##_forward(Node *n)                              \
    {                                                             \
        broadcast_forward(n, kernels->f);                         \
    }                                                             \
    const Op op_##f = {.name = #f,                                \
                       .strided = true,                           \
                       .shape = broadcast_shape,                  \
                       .saved = keeps,                            \
                       .forward = f##_forward,                    \
                       .backward = back};                         \
    Tensor *ag_##f(Tensor *a, Tensor *b)                          \
    {                                                             \
        return op_apply(&op_##f, (Tensor *[]){a, b}, 2, NULL, 0); \
    }

/* x.grad += alpha dy, summed over the axes along which x was broadcast. */
void broadcast_add_grad(Tensor *x, const Tensor *y, real alpha);
/* x.grad += dy * other, where other broadcasts like an operand. */
void broadcast_mul_grad(Tensor *x, const Tensor *y, const Tensor *other);

/* ---- parts.c: ops that copy each operand to a part of the result ----------------------------- */

/* Operand k's part of the result, in the operand's shape: the same numbers and gradient. */
typedef Tensor PartOf(const Node *n, int k);

/* The part that begins `offset` numbers after the result's first, with the result's strides. */
Tensor part_at(const Node *n, int k, int64_t offset);
/* Copies each operand to its part, and adds each part's gradient to its operand's. */
void parts_forward(Node *n, PartOf part_of);
void parts_backward(Node *n, PartOf part_of);

/* ---- copy.c ---------------------------------------------------------------------------------- */

/* Of a copy, with x's own shape or a larger one to which it broadcasts. */
void copy_forward(Node *n);
void copy_backward(Node *n);

/* ---- softmax.c ------------------------------------------------------------------------------- */

/* The gradient of every softmax over the last axis, masked or not. */
void softmax_backward(Node *n);

/* ---- dropout.c: what attention shares with dropout ------------------------------------------- */

extern const Op op_dropout;

/* The settings of one dropout, drawn when the op is called: backward uses the same. */
typedef struct {
    double p;
    uint64_t stream; /* of random numbers; 0: nothing is dropped */
} DropoutAttrs;

/* The settings for a dropout of x; takes the step's next stream if training and p > 0. */
DropoutAttrs dropout_attrs(const Tensor *x, real p);
/* Is 0 <= p < 1? False after an error. */
bool dropout_check(const Node *n, real p);

/* ---- conv.c: convolutions in one and two dimensions ------------------------------------------ */

/* sides: 1 for a sequence, 2 for an image; stride and padding are the same along both. */
typedef struct {
    int sides, stride, padding;
} ConvAttrs;

/* The convolution `conv` along so many sides, and ag_conv. */
#define CONV_OP(conv, sides)                                                                 \
    const Op op_##conv = {.name = #conv,                                                     \
                          .optional = 1 << 2,                                                \
                          .shape = conv_shape,                                               \
                          .saved = conv_saved,                                               \
                          .forward = conv_forward,                                           \
                          .backward = conv_backward,                                         \
                          .inside = &(const struct OpInside){.scratch = true}};              \
    Tensor *ag_##conv(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding)      \
    {                                                                                        \
        const ConvAttrs attrs = {sides, stride, padding};                                    \
        return op_apply(&op_##conv, (Tensor *[]){x, weight, bias}, 3, &attrs, sizeof attrs); \
    }
/* x (..., in, H, W), weight (out, in, kh, kw), bias (out) or NULL; one side: without H and kh. */
bool conv_shape(const Node *n, Shape *y);
int64_t conv_saved(const Node *n); /* the patches of one image */
void conv_forward(Node *n);
void conv_backward(Node *n);

/* ---- mask.c: checking a Mask, and translating it for the kernels ----------------------------- */

/* Scores as (batch, heads, T, S). */
typedef struct {
    int64_t batch, heads, T, S;
} Scores;

/* The node's mask: these settings, with in[first] as lengths and in[first + 1] as keep. */
Mask mask_at(const Node *n, Mask mask, int first);
/* Does the mask fit the scores? False after an error. */
bool mask_check(const Node *n, Mask mask, Scores s);
/* The mask as kernels read it, for scores of so many heads. */
KernelMask mask_resolve(Mask mask, int64_t heads);

/* ---- reduce.c: reductions of all elements, or along one axis --------------------------------- */

/* What is reduced: all elements, or one axis, which is kept with length 1 where keepdim is set. */
typedef struct {
    int all; /* 1: reduces every axis; axis and keepdim are ignored */
    int axis, keepdim;
} ReduceAttrs;

/* The kernels take x as (outer, n, inner): the product of the axes before, the axis itself, and the
 * product of the axes after it. */
typedef struct {
    int64_t outer, n, inner;
} Reduction;

/* op_apply for a reduction: errors begin with the public function that contains the call. */
#define reduce_apply(op, x, ...) reduce_apply_as(__func__, op, x, __VA_ARGS__)
Tensor *reduce_apply_as(const char *function, const Op *op, Tensor *x, ReduceAttrs attrs);
bool reduce_shape(const Node *n, Shape *y);
/* x without the axis, or with length 1 there. */
static inline Shape reduced(Shape x, int axis, bool keepdim)
{
    Shape y = shape0();
    for (int i = 0; i < x.rank; i++)
        if (i != axis || keepdim)
            y.dim[y.rank++] = i == axis ? 1 : x.dim[i];
    return y;
}
Reduction reduce_sizes(const Node *n);

/* y = alpha times the sum, and its gradient. */
void reduce_forward(Node *n, real alpha);
void reduce_backward(Node *n, real alpha);

#endif
