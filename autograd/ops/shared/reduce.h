/* reduce.h: reductions of all elements, or along one axis (internal). The kernels take x as (outer,
 * n, inner): the product of the axes before, the axis itself, and the product of the axes after
 * it. */
#ifndef GRADUS_REDUCE_H
#define GRADUS_REDUCE_H

#include "autograd/ops/shared/op.h"

/* What is reduced: all elements, or one axis, which is kept with length 1 where keepdim is set. */
typedef struct {
    bool all; /* reduces every axis; axis and keepdim are ignored */
    int axis;
    bool keepdim;
} ReduceAttrs;

/* The sizes that the kernels take; their product is the number of elements. */
typedef struct {
    int64_t outer, n, inner;
} Reduction;

/* op_apply for a reduction: errors begin with the public function that contains the call. */
#define reduce_apply(op, x, ...) reduce_apply_as(__func__, op, x, __VA_ARGS__)
Tensor *reduce_apply_as(const char *function, const Op *op, Tensor *x, ReduceAttrs attrs);
bool reduce_shape(const Node *n, Shape *y);
Reduction reduce_sizes(const Node *n);

/* y = alpha times the sum, and its gradient. */
void reduce_forward(Node *n, real alpha);
void reduce_backward(Node *n, real alpha);

#endif
