/* reduce.h: sums along one axis, or all (internal). x is seen as (outer, n, inner). */
#ifndef GRADUS_REDUCE_H
#define GRADUS_REDUCE_H

#include "autograd/ops/shared/op.h"

typedef struct {
    bool all; /* of every element; axis and keepdim do not count */
    int axis;
    bool keepdim;
    bool unbiased; /* of a variance */
} ReduceAttrs;

typedef struct {
    int64_t outer, n, inner;
} Reduction;

Tensor *reduce_apply(const Op *op, Tensor *x, ReduceAttrs attrs);
bool reduce_shape(const Node *n, Shape *y);
Reduction reduce_sizes(const Node *n);

/* y = alpha times the sum, and the way back. */
void reduce_forward(Node *n, real alpha);
void reduce_backward(Node *n, real alpha);

#endif
