/* dropout.h: what attention shares with dropout (internal). */
#ifndef GRADUS_DROPOUT_H
#define GRADUS_DROPOUT_H

#include "autograd/ops/shared/op.h"

extern const Op op_dropout;

typedef struct {
    real p;
    uint64_t stream; /* of random numbers; 0: nothing falls */
} DropoutAttrs;

/* For a dropout of x: with the next stream of this step where x's tape is training and p > 0. */
DropoutAttrs dropout_attrs(const Tensor *x, real p);
/* Is p a probability below 1? False after an error. */
bool dropout_check(const char *who, real p);

#endif
