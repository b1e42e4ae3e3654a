/* dropout.h: what attention shares with dropout (internal). */
#ifndef GRADUS_DROPOUT_H
#define GRADUS_DROPOUT_H

#include "autograd/ops/shared/op.h"

extern const Op op_dropout;

/* The settings of one dropout, drawn when the op is called: backward uses the same. */
typedef struct {
    real p;
    uint64_t stream; /* of random numbers; 0: nothing is dropped */
} DropoutAttrs;

/* The settings for a dropout of x; takes the step's next stream if training and p > 0. */
DropoutAttrs dropout_attrs(const Tensor *x, real p);
/* Is 0 <= p < 1? False after an error. */
bool dropout_check(const Node *n, real p);

#endif
